import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Block } from './recipes.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const excluded = new Set(['node_modules', '.git', '.turbo', 'artefacts', 'coverage'])

export type Ran = { readonly code: number; readonly output: string }
export type WorkspaceCopy = Awaited<ReturnType<typeof copyWorkspace>>

/** Copies the built workspace. Third-party packages are linked, Herald's own are the copies. */
export async function copyWorkspace() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'herald-recipes-')))
  await cp(root, folder, { recursive: true, filter: (path) => !excluded.has(basename(path)) })
  await linkModules(folder)
  const kept = new Map<string, string | undefined>()

  async function keep(path: string): Promise<string> {
    const file = join(folder, path)
    const text = existsSync(file) ? await readFile(file, 'utf8') : undefined
    if (!kept.has(path)) kept.set(path, text)
    return text ?? ''
  }

  return {
    folder,
    run: (command: string) => run(command, folder),
    async apply(block: Block): Promise<void> {
      if (block.kind === 'run') {
        // Files that the command edits are restored as well.
        for (const path of await sources(folder)) await keep(path)
        const { code, output } = await run(block.command, folder)
        if (code !== 0) throw new Error(`${block.command} failed with exit code ${code}\n${output}`)
        return
      }
      const text = await keep(block.path)
      await mkdir(dirname(join(folder, block.path)), { recursive: true })
      await writeFile(join(folder, block.path), block.kind === 'file' ? block.text : edited(text, block))
    },
    /** Undoes all applied blocks. */
    async reset(): Promise<void> {
      for (const [path, text] of kept) {
        if (text === undefined) await rm(join(folder, path), { force: true })
        else if ((await readFile(join(folder, path), 'utf8')) !== text) await writeFile(join(folder, path), text)
      }
      kept.clear()
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

function edited(text: string, { path, before, after }: Extract<Block, { kind: 'edit' }>): string {
  const at = text.indexOf(before)
  if (at < 0 || text.indexOf(before, at + 1) >= 0) throw new Error(`${path} must contain this exactly once:\n${before}`)
  return text.slice(0, at) + after + text.slice(at + before.length)
}

async function sources(folder: string): Promise<string[]> {
  const places = ['packages/client/src', 'packages/kafka/src']
  const found = await Promise.all(places.map((place) => readdir(join(folder, place), { recursive: true })))
  const files = found.flatMap((names, at) => names.map((name) => `${places[at]}/${name}`))
  return ['.biome.json', ...files.filter((file) => file.endsWith('.ts'))]
}

async function linkModules(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '@herald'), { recursive: true })
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name !== '@herald') await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  for (const name of await readdir(join(root, 'node_modules', '@herald'))) {
    // The links are relative, so they point into the copy.
    await symlink(await readlink(join(root, 'node_modules', '@herald', name)), join(modules, '@herald', name))
  }
  for (const place of ['packages', 'services', 'test']) {
    for (const name of await readdir(join(root, place))) {
      const own = join(root, place, name, 'node_modules')
      if (existsSync(own)) await symlink(own, join(folder, place, name, 'node_modules'))
    }
  }
  // The placeholder package of a recipe, which is kafkajs here.
  await symlink(join(root, 'node_modules', 'kafkajs'), join(modules, 'other-kafka'))
}

function run(command: string, folder: string): Promise<Ran> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_OPTIONS|INIT_CWD|JEST_|HERALD_TEST)/i.test(name),
  )
  const environment = { ...Object.fromEntries(kept), PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  return new Promise((resolve) => {
    const options = { cwd: folder, env: environment, maxBuffer: 64 * 1024 * 1024 }
    execFile('bash', ['-c', command], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) || 1 : 0, output: stdout + stderr }),
    )
  })
}
