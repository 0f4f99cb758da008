/** The oldest supported Node.js, as in `engines` of the services. */
export const oldestNode = '22.15.0'

/** Returns a message if this version of Node.js is not supported, otherwise `undefined`. */
export function unsupportedNode(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split('.').map(Number)
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined
  return `Herald needs Node.js ${oldestMajor}.${oldestMinor} or newer, and this is ${version}`
}
