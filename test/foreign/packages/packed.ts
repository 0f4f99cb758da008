import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { succeed } from './run.ts'

export const workspaceFolder = fileURLToPath(new URL('../../..', import.meta.url))

/** The public packages under test, each after its dependencies. */
export const publicPackages = ['contracts', 'publisher', 'client'] as const

export type Packed = Awaited<ReturnType<typeof packPackages>>

/** Packs public packages as they would be published. */
export async function packPackages(names: readonly string[] = publicPackages) {
  const folder = await mkdtemp(join(tmpdir(), 'herald-packed-'))
  const archives: string[] = []
  for (const name of names) {
    // Already built; building again would change files that other tests read.
    const args = ['pack', '--ignore-scripts', '--json', '--silent', '--pack-destination', folder]
    const output = await succeed('npm', args, {
      folder: join(workspaceFolder, 'packages', name),
      environment: outside(),
    })
    const [entry] = Object.values(JSON.parse(output)) as { filename: string }[]
    archives.push(join(folder, (entry?.filename ?? '').replace('@', '').replace('/', '-')))
  }
  return {
    folder,
    archives,
    /** Creates an empty project outside the workspace. */
    async newProject(name: string): Promise<string> {
      const project = join(folder, name)
      await mkdir(project)
      return project
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Fails early instead of retrying until the test times out. */
const failEarly = { npm_config_fetch_retries: '1', npm_config_fetch_retry_mintimeout: '500' }

/**
 * The environment without npm's variables about this workspace. npm's own settings stay: registry, cache and certificate
 * authorities are those of the preceding `npm ci`.
 */
export function outside(): NodeJS.ProcessEnv {
  const ofWorkspace =
    /^(npm_(package|lifecycle)_.*|npm_(command|config_(local_prefix|prefix|workspaces?|offline))|NODE_OPTIONS|INIT_CWD)$/i
  const kept = Object.entries(process.env).filter(([name]) => !ofWorkspace.test(name))
  return { ...failEarly, ...Object.fromEntries(kept) }
}
