import { performance } from 'node:perf_hooks'
import autocannon from 'autocannon'

export type LoadRequest = { readonly path: string; readonly token?: string; readonly method?: 'GET' | 'PATCH' }

export type LoadResult = {
  /** Requests that succeeded. */
  readonly requests: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

export type LoadOptions = {
  readonly baseUrl: string
  readonly requests: readonly LoadRequest[]
  readonly seconds: number
  /** Sends every request once, instead of for `seconds`. */
  readonly once?: boolean
  readonly connections?: number
}

/**
 * Sends requests without pause; each connection repeats its share of the list. Latencies are in milliseconds.
 *
 * @throws Error when a request fails
 */
export async function load({
  baseUrl,
  requests,
  seconds,
  once,
  connections: most = 16,
}: LoadOptions): Promise<LoadResult> {
  const connections = once ? Math.min(most, requests.length) : most
  const prepared = requests.map(({ path, token, method = 'GET' }) => ({
    method,
    path,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  }))
  let connection = 0
  const begun = performance.now()
  const result = await autocannon({
    url: baseUrl,
    connections,
    ...(once ? { amount: requests.length } : { duration: seconds }),
    requests: prepared.slice(0, 1),
    setupClient(client) {
      const start = Math.floor((connection++ * prepared.length) / connections)
      const own = prepared.slice(start, Math.floor((connection * prepared.length) / connections))
      client.setRequests(own.length > 0 ? own : prepared)
    },
  })
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0) {
    const { statusCodeStats, errors, timeouts } = result
    const found = JSON.stringify({ ...statusCodeStats, errors, timeouts })
    throw new Error(`${failed} of ${result.requests.total} requests failed: ${found}`)
  }
  const elapsed = Math.max(seconds, (performance.now() - begun) / 1_000)
  return {
    requests: result['2xx'],
    perSecond: result['2xx'] / Math.min(elapsed, result.duration),
    p50: result.latency.p50,
    p99: result.latency.p99,
  }
}
