import { randomUUID } from 'node:crypto'
import type { TokenIssuer } from '@herald/token-issuer'
import { pause } from '../until.ts'

const tenants = 10
const pauseMs = 40
const exportEvery = 20
const createEvery = 10

/** Ten tenants who read a few pages a second each, and sometimes write. */
export async function startQuietTenants(
  urls: { readonly query: string; readonly ingest: string },
  tokens: TokenIssuer,
) {
  const stop = new AbortController()
  let times: number[] = []
  let errors: string[] = []

  async function ask(path: string, token: string, body?: string): Promise<void> {
    const startedAt = performance.now()
    const response = await fetch(`${body === undefined ? urls.query : urls.ingest}${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body }),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(30_000),
    })
    const text = await response.text()
    times.push(performance.now() - startedAt)
    if (!response.ok) errors.push(`${body === undefined ? 'GET' : 'POST'} ${path}: ${response.status} ${text}`)
  }

  async function live(token: string): Promise<void> {
    for (let n = 0; !stop.signal.aborted; n++) {
      const isCreation = n % createEvery === 5
      const path =
        n % exportEvery === 0 ? '/change-entries/all' : n % 2 === 0 || isCreation ? '/' : '/?locationType=comment'
      await ask(path, token, isCreation ? smallCreation() : undefined).catch((error) =>
        errors.push(`${path}: ${error}`),
      )
      await pause(pauseMs)
    }
  }

  const signed = Array.from({ length: tenants }, () =>
    tokens.sign({ sub: randomUUID(), subscriber_id: randomUUID(), scope: 'change-entries:read notifications:create' }),
  )
  const running = (await Promise.all(signed)).map(live)
  return {
    /** What they saw since the last call. */
    take() {
      const sorted = times.toSorted((a, b) => a - b)
      const figures = { requests: sorted.length, errors, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
      times = []
      errors = []
      return figures
    },
    async stop() {
      stop.abort()
      await Promise.all(running)
    },
  }
}

function smallCreation(): string {
  const [subjectId, locationId, recipientId] = [randomUUID(), randomUUID(), randomUUID()]
  const mention = { mentionerName: 'Ada', snippet: 'Look', entityType: 'portfolio' }
  const what = {
    type: 'mention',
    actorType: 'user',
    subjectId,
    subjectType: 'user',
    locationId,
    locationType: 'comment',
  }
  return JSON.stringify({ ...what, metadata: { mention }, recipientIds: [recipientId] })
}
