import { mkdtempSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { ServiceName, StartedService } from '@herald/local-herald'
import { runCommand } from '@herald/test-servers'
import { workspaceRoot } from './workspace.ts'

export type WatchOptions = {
  services: Readonly<Record<ServiceName, Pick<StartedService, 'restart' | 'onLine'>>>
  log: (line: string) => void
  /** Compiles a folder of the workspace to its `dist`; throws the output of the compiler. */
  build?: (folder: string) => Promise<void>
  root?: string
}

/** Watched folders, in the order of their dependencies, with the services that use them. */
const watched: Readonly<Record<string, readonly ServiceName[]>> = {
  'packages/contracts': ['ingest', 'query', 'seal'],
  'packages/sealed-log': ['ingest', 'query', 'seal'],
  'packages/mongo': ['ingest', 'query', 'seal'],
  'packages/persons': ['ingest', 'query', 'seal'],
  'packages/feed': ['ingest', 'query', 'seal'],
  'packages/change-log': ['ingest', 'query', 'seal'],
  'packages/store': ['ingest', 'query', 'seal'],
  'packages/runtime': ['ingest', 'query', 'seal'],
  'packages/kafka': ['ingest', 'seal'],
  'services/ingest': ['ingest'],
  'services/query': ['query', 'seal'],
}

/** Editors write a file in several steps. */
const SETTLED_AFTER_MS = 30

/**
 * Builds a folder when one of its sources changes and restarts the services that use it. A compile error is printed and
 * the services keep running.
 */
export function watchSources({ services, log, build = createCompiler(), root = workspaceRoot }: WatchOptions) {
  for (const [name, service] of Object.entries(services)) service.onLine((line) => log(`${name}: ${line}`))
  const changed = new Set<string>()
  // The first build of a folder is a full one, later builds are incremental.
  let working: Promise<void> | undefined = warmUp()
    .then(work)
    .finally(() => {
      working = undefined
    })
  let settled: NodeJS.Timeout | undefined

  const watchers = Object.keys(watched).map((folder) =>
    watch(join(root, folder, 'src'), { recursive: true }, (_event, file) => {
      if (!file?.endsWith('.ts') || /\.(test|fixture)\.ts$/.test(file)) return
      changed.add(folder)
      clearTimeout(settled)
      settled = setTimeout(() => {
        working ??= work().finally(() => {
          working = undefined
        })
      }, SETTLED_AFTER_MS)
    }),
  )

  async function warmUp() {
    for (const folder of Object.keys(watched)) await build(join(root, folder)).catch((error) => log(String(error)))
  }

  async function work() {
    while (changed.size > 0) {
      const began = performance.now()
      const folders = Object.keys(watched).filter((folder) => changed.has(folder))
      changed.clear()
      try {
        for (const folder of folders) await build(join(root, folder))
        const names = [...new Set(folders.flatMap((folder) => watched[folder] ?? []))]
        const built = performance.now()
        await Promise.all(names.map((name) => services[name].restart()))
        log(`Restarted ${names.join(' and ')} after a change in ${folders.join(', ')}: ${times(began, built)}`)
      } catch (error) {
        log(error instanceof Error ? error.message : String(error))
      }
    }
  }

  return {
    async stop() {
      clearTimeout(settled)
      changed.clear()
      for (const watcher of watchers) watcher.close()
      await working
    },
  }
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
const times = (began: number, built: number) =>
  `${seconds(performance.now() - began)}, of which the build took ${seconds(built - began)}`

function createCompiler() {
  const memory = mkdtempSync(join(tmpdir(), 'herald-dev-'))
  process.once('exit', () => rmSync(memory, { recursive: true, force: true }))
  return async (folder: string) => {
    const tsc = join(workspaceRoot, 'node_modules', '.bin', 'tsc')
    const remembering = ['--incremental', '--tsBuildInfoFile', join(memory, `${basename(folder)}.tsbuildinfo`)]
    const args = ['-p', join(folder, 'tsconfig.build.json'), '--noEmitOnError', ...remembering]
    await runCommand(tsc, args, { environment: process.env })
  }
}
