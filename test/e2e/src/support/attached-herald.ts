import type { StartedService } from '@herald/local-herald'
import { defaultTopics } from '@herald/test-servers'
import { connectTokenIssuer } from '@herald/token-issuer'
import type { RunningHerald } from './herald.ts'

/** Connects to a running Herald behind its gateway. Its processes can be neither inspected nor stopped from here. */
export async function attachHerald(baseUrl: string, tokenIssuer: string): Promise<RunningHerald> {
  const service = remoteService(baseUrl)
  return {
    baseUrl,
    ingest: service,
    query: service,
    seal: service,
    tokens: await connectTokenIssuer(tokenIssuer),
    topics: defaultTopics,
    databaseName: 'herald',
    groupId: 'herald-ingest',
  }
}

/** A service of which only the base URL is known; reading anything else throws. */
function remoteService(url: string): StartedService {
  return new Proxy({ url } as StartedService, {
    get(service, name) {
      if (name !== 'url')
        throw new Error(`${String(name)} is not available: HERALD_BASE_URL names a Herald of other processes`)
      return service.url
    },
  })
}
