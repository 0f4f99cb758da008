import { connectTokenIssuer, defaultTopics, type StartedService } from '@herald/local-stack'
import type { RunningHerald } from './herald.ts'

/** A Herald that somebody else started, behind its gateway. Its processes can't be seen, and not be ended from here. */
export async function attachHerald(baseUrl: string, tokenIssuer: string): Promise<RunningHerald> {
  const service = notOurs(baseUrl)
  return {
    baseUrl,
    ingest: service,
    query: service,
    tokens: await connectTokenIssuer(tokenIssuer),
    topics: defaultTopics,
    databaseName: 'herald',
    groupId: 'herald-ingest',
  }
}

/** Only the base URL is known of it, and nothing else may be asked. */
function notOurs(url: string): StartedService {
  return new Proxy({ url } as StartedService, {
    get(service, name) {
      if (name !== 'url') throw new Error(`HERALD_BASE_URL is set: no test can ask a process for ${String(name)}`)
      return service.url
    },
  })
}
