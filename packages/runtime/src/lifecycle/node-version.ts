/** The oldest Node.js that runs the services; `engines` in their package.json says the same. */
export const oldestNode = '22.15.0'

/** Why this version of Node.js cannot run a service, in one line, or undefined. */
export function whyNodeIsTooOld(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split('.').map(Number)
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined
  return `Herald needs Node.js ${oldestMajor}.${oldestMinor} or newer, and this is ${version}`
}
