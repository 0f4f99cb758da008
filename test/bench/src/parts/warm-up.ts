import type { BenchContext } from '../part.ts'
import { type LoadRequest, load } from '../query/http-load.ts'
import { connections as most } from '../query/measure-requests.ts'

const enough = 20_000

/**
 * Sends a server so many requests that V8 has compiled what serves them: a page takes a quarter less of query's CPU after the
 * first 20,000, and hardly less still after 100,000.
 */
export async function warmUp(
  { smoke }: Pick<BenchContext, 'smoke'>,
  { url }: { readonly url: string },
  requests: readonly LoadRequest[],
  connections = most,
): Promise<void> {
  for (let sent = 0; sent < (smoke ? 1 : enough); sent += requests.length) {
    await load({ baseUrl: url, connections, requests, once: true, seconds: 0 })
  }
}
