import { readManifest, readWorkspaces } from './workspaces.ts'

/** Returns a line for each workspace, and each dependency between workspaces, whose version differs from the root's. */
export function findVersionProblems(root: string): string[] {
  const { version } = readManifest(root)
  const workspaces = readWorkspaces(root)
  const names = new Set(workspaces.map(({ manifest }) => manifest.name))
  return workspaces.flatMap(({ manifest }) => {
    const own = manifest.version === version ? [] : [`${manifest.name} has version ${manifest.version}, not ${version}`]
    const named = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    const wrong = named.filter(([name, range]) => names.has(name) && range !== version)
    return [...own, ...wrong.map(([name, range]) => `${manifest.name} depends on ${name} ${range}, not ${version}`)]
  })
}
