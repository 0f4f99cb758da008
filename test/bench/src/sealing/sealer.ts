import { type StartedService, serviceFile, startService } from '@herald/local-herald'
import { eventually } from '@herald/test-servers'

export type Sealer = Awaited<ReturnType<typeof startSealer>>

/** A sealer process of this checkout or of another; without a key it only assigns the recorded order. */
export async function startSealer(settings: NodeJS.ProcessEnv, checkout?: string) {
  const file = serviceFile('query', 'seal', checkout)
  const service = await startService('seal', settings, { file })
  return {
    pid: service.pid,
    stop: service.stop,
    /** Waits until it has appended, or sealed, so many entries. */
    async waitFor(counter: 'herald_order_entries_total' | 'herald_log_sealed_leaves_total', count: number) {
      await eventually(async () => (await readCounter(service, counter)) >= count, {
        description: `${count} entries in ${counter}`,
        within: 600_000,
        every: 100,
      })
    },
  }
}

async function readCounter({ adminUrl }: StartedService, name: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}
