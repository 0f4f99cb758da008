import { readManifest, readWorkspaces } from './workspaces.ts'

/** Returns a line for every workspace, and every dependency between workspaces, whose version differs from the root's. */
export function findVersionFaults(root: string): string[] {
  const { version } = readManifest(root)
  const workspaces = readWorkspaces(root)
  const names = new Set(workspaces.map(({ manifest }) => manifest.name))
  return workspaces.flatMap(({ manifest }) => {
    const own = manifest.version === version ? [] : [`${manifest.name} has version ${manifest.version}, not ${version}`]
    const named = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    const wrong = named.filter(([name, wanted]) => names.has(name) && wanted !== version)
    return [...own, ...wrong.map(([name, wanted]) => `${manifest.name} asks for ${name} ${wanted}, not ${version}`)]
  })
}
