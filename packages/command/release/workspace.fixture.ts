import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { succeed } from './run.ts'

/** Creates a small workspace in a temporary folder; `packages` are manifests by folder name. */
export async function createWorkspace(packages: Record<string, object>) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'herald-workspace-')))
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  await write(
    'package.json',
    JSON.stringify({ name: 'x', version: '1.0.0', private: true, workspaces: ['packages/*'] }),
  )
  for (const [name, manifest] of Object.entries(packages))
    await write(`packages/${name}/package.json`, JSON.stringify(manifest))
  return { root, write, remove: () => rm(root, { recursive: true, force: true }) }
}

const publishable = {
  version: '1.0.0',
  type: 'module',
  license: 'MIT',
  files: ['dist', 'CHANGELOG.md'],
  repository: { type: 'git', directory: 'packages/x' },
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
}

/** Creates two publishable packages, committed to git; `@x/a` depends on `@x/z`. */
export async function createPublishable() {
  const workspace = await createWorkspace({
    a: { ...publishable, name: '@x/a', dependencies: { '@x/z': '1.0.0' } },
    z: { ...publishable, name: '@x/z' },
  })
  const { root, write } = workspace
  const log = '# Changelog\n\n## [1.0.0] - 2026-01-31\n'
  await write('CHANGELOG.md', log)
  for (const name of ['a', 'z']) {
    await write(`packages/${name}/CHANGELOG.md`, log)
    await write(`packages/${name}/README.md`, `# ${name}\n`)
    await write(`packages/${name}/LICENSE`, 'MIT\n')
    await write(`packages/${name}/src/index.ts`, 'export const one = 1\n')
    await write(`packages/${name}/dist/index.js`, 'export const one = 1\n')
    await write(`packages/${name}/dist/index.d.ts`, 'export declare const one = 1\n')
  }
  const git = (...args: string[]) => succeed('git', args, root)
  await git('init', '--quiet')
  await git('remote', 'add', 'origin', 'https://someone:secret@git.example/x.git')
  await git('add', '.')
  await git('-c', 'user.name=x', '-c', 'user.email=x@x.example', 'commit', '--quiet', '-m', 'x')
  return workspace
}
