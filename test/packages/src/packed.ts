import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { succeed } from './run.ts'

export const workspaceFolder = fileURLToPath(new URL('../../..', import.meta.url))

/** The packages that are there for others, in the order in which they need each other. */
export const publicPackages = ['contracts', 'publisher', 'client'] as const

export type PublicPackage = (typeof publicPackages)[number]
export type Packed = Awaited<ReturnType<typeof packPackages>>

/** Packs what others install, as it would be published. */
export async function packPackages() {
  const folder = await mkdtemp(join(tmpdir(), 'herald-packed-'))
  const archives: Record<string, string> = {}
  for (const name of publicPackages) {
    // The test's own dependencies have built it: building again would write what other tests read.
    const args = ['pack', '--ignore-scripts', '--json', '--silent', '--pack-destination', folder]
    const said = await succeed('npm', args, { folder: join(workspaceFolder, 'packages', name), environment: outside() })
    const [entry] = Object.values(JSON.parse(said)) as { filename: string }[]
    archives[name] = join(folder, (entry?.filename ?? '').replace('@', '').replace('/', '-'))
  }
  return {
    folder,
    archives: archives as Record<PublicPackage, string>,
    /** An empty project that has nothing of this workspace. */
    async newProject(name: string): Promise<string> {
      const project = join(folder, name)
      await mkdir(project)
      return project
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** An error is to be seen, not to be tried again until a test's time is over. */
const impatient = { npm_config_fetch_retries: '1', npm_config_fetch_retry_mintimeout: '500' }

/**
 * The environment without what npm says of this workspace to the programs that it starts. What it says of itself stays:
 * registry, cache and certificate authorities are the same as those of the `npm ci` before.
 */
export function outside(): NodeJS.ProcessEnv {
  const ofWorkspace =
    /^(npm_(package|lifecycle)_.*|npm_(command|config_(local_prefix|prefix|workspaces?|offline))|NODE_OPTIONS|INIT_CWD)$/i
  const kept = Object.entries(process.env).filter(([name]) => !ofWorkspace.test(name))
  return { ...impatient, ...Object.fromEntries(kept) }
}
