import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { succeed } from './run.ts'
import type { Workspace } from './workspaces.ts'

export type PackOptions = {
  /** Folder for the archive. */
  readonly to: string
  /** Written into the packed package.json, because the tracked one names no host. */
  readonly repositoryUrl?: string | undefined
  /** Whether to run `prepack`, which builds the package. */
  readonly build?: boolean
}

export type Packed = {
  readonly name: string
  readonly version: string
  /** The archive. */
  readonly file: string
  readonly bytes: number
  /** Paths in the package. */
  readonly files: readonly string[]
}

/** Packs a package with `npm pack`, as it would be published. */
export async function pack({ folder }: Workspace, { to, repositoryUrl, build = true }: PackOptions): Promise<Packed> {
  if (repositoryUrl === undefined) return npmPack(folder, to, build)
  const staging = await mkdtemp(join(tmpdir(), 'herald-release-'))
  try {
    const { file } = await npmPack(folder, staging, build)
    await succeed('tar', ['-xzf', file, '-C', staging], staging)
    const content = join(staging, 'package')
    const manifest = JSON.parse(await readFile(join(content, 'package.json'), 'utf8'))
    const repository = { ...manifest.repository, url: repositoryUrl }
    await writeFile(join(content, 'package.json'), `${JSON.stringify({ ...manifest, repository }, null, 2)}\n`)
    return await npmPack(content, to, false)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

async function npmPack(folder: string, to: string, build: boolean): Promise<Packed> {
  await mkdir(to, { recursive: true })
  const args = ['pack', '--json', '--silent', '--foreground-scripts=false', '--pack-destination', to]
  const printed = await succeed('npm', [...args, `--ignore-scripts=${!build}`], folder)
  const [entry] = Object.values(JSON.parse(printed)) as [NpmPacked]
  const file = join(to, entry.filename.replace('@', '').replace('/', '-'))
  return { ...entry, file, bytes: entry.size, files: entry.files.map(({ path }) => path) }
}

type NpmPacked = {
  readonly name: string
  readonly version: string
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}
