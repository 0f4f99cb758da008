import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type Manifest = {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly workspaces?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

export type Workspace = {
  /** Absolute. */
  readonly folder: string
  readonly manifest: Manifest
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** Reads all workspaces listed in the package.json of `root`. */
export function readWorkspaces(root: string): Workspace[] {
  const { workspaces = [] } = readManifest(root)
  const files = workspaces.flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: root })).sort()
  return files.map((file) => {
    const folder = join(root, dirname(file))
    return { folder, manifest: readManifest(folder) }
  })
}

/** Returns the public workspaces, each after its dependencies. */
export function findPublicPackages(root: string): Workspace[] {
  const waiting = readWorkspaces(root).filter(({ manifest }) => !manifest.private)
  const ordered: Workspace[] = []
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ manifest }) => manifest.name))
    const next = waiting.findIndex(
      ({ manifest }) => !Object.keys(manifest.dependencies ?? {}).some((n) => names.has(n)),
    )
    if (next < 0) throw new Error(`${[...names].join(', ')} depend on each other`)
    ordered.push(...waiting.splice(next, 1))
  }
  return ordered
}
