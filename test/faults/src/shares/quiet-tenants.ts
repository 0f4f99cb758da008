import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export type QuietTenantsData = {
  readonly query: string
  readonly ingest: string
  readonly tokens: readonly string[]
}

/** The latencies and errors of all of them since the last call. */
export type QuietFigures = { readonly requests: number; readonly p99: number; readonly errors: readonly string[] }

/** Quiet tenants, who read a few pages a second each, and sometimes write: in a thread that no attacker keeps busy. */
export async function startQuietTenants(workerData: QuietTenantsData) {
  const thread = new Worker(new URL('./quiet-tenants-thread.ts', import.meta.url), { workerData })
  const failed = once(thread, 'error').then(([error]) => Promise.reject(error))
  failed.catch(() => {})
  const ask = async (request: 'take' | 'stop'): Promise<QuietFigures> => {
    thread.postMessage(request)
    const [figures] = await Promise.race([once(thread, 'message'), failed])
    return figures
  }
  return {
    take: () => ask('take'),
    async stop() {
      await ask('stop')
      await thread.terminate()
    },
  }
}
