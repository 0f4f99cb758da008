import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { isThere } from './commands.ts'
import { changeEvent, mentionEvent, startExposing } from './exposed-series.ts'
import { root } from './overlays.ts'
import { startPrometheus } from './prometheus.ts'

type Panel = { readonly type: string; readonly title: string; readonly targets?: readonly { readonly expr: string }[] }
const file = `${root}deploy/kustomize/components/grafana-dashboard/herald.json`
const { panels } = JSON.parse(readFileSync(file, 'utf8')) as { panels: Panel[] }
const queries = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }): [string, string] => [title, expr.replaceAll('$__rate_interval', '20s')]),
)

const hasPrometheus = isThere('prometheus', '--version')
if (!hasPrometheus) console.warn('Skipped the queries of the dashboard: prometheus is not on the PATH.')

/** Keeps both services busy: records that are stored and rejected, requests that succeed and fail, streams that end. */
function startLoad({ herald, publish }: Awaited<ReturnType<typeof startExposing>>) {
  const user = { id: crypto.randomUUID(), subscriberId: crypto.randomUUID() }
  const stopping = new AbortController()
  const { signal } = stopping

  /** Reads a stream until the first notification, and returns its last id. */
  async function follow(authorization: string, lastEventId: string): Promise<string> {
    const headers = { authorization, ...(lastEventId ? { 'last-event-id': lastEventId } : {}) }
    const connection = new AbortController()
    const answer = await fetch(`${herald.query.url}/notifications/stream`, {
      headers,
      signal: AbortSignal.any([signal, connection.signal]),
    })
    let text = ''
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString()
      if (text.includes('event: notification') || text.includes('event: reset')) break
    }
    connection.abort()
    return [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? lastEventId
  }

  async function work(): Promise<void> {
    const authorization = `Bearer ${await herald.tokens.sign({ sub: user.id, subscriber_id: user.subscriberId })}`
    let last = ''
    for (let round = 0; !signal.aborted; round++) {
      const followed = follow(authorization, last)
      await publish('change', changeEvent())
      if (round % 5 === 0) await publish('mention', 'not JSON')
      await fetch(`${herald.query.url}/notifications`, { headers: { authorization } })
      await fetch(`${herald.query.url}/notifications/${crypto.randomUUID()}`, { headers: { authorization } })
      await fetch(`${herald.query.url}/notifications`)
      await publish('mention', mentionEvent(user.subscriberId, user.id))
      last = await followed
      await pause(200, undefined, { signal })
    }
  }
  const working = work().catch((error) => {
    if (!signal.aborted) throw error
  })
  return async () => {
    stopping.abort()
    await working
  }
}

const onPrometheus = hasPrometheus ? describe : describe.skip
onPrometheus('under load, Prometheus has data for every query of the dashboard', () => {
  let services: Awaited<ReturnType<typeof startExposing>>
  let prometheus: Awaited<ReturnType<typeof startPrometheus>>
  let stopLoad: () => Promise<void>

  beforeAll(async () => {
    services = await startExposing()
    const { ingest, query, seal } = services.herald
    prometheus = await startPrometheus({
      'herald-ingest': ingest.adminUrl,
      'herald-query': query.adminUrl,
      'herald-seal': seal.adminUrl,
    })
    stopLoad = startLoad(services)
  })
  afterAll(async () => {
    await stopLoad?.()
    await prometheus?.stop()
    await services?.stop()
  })

  test.each(queries)('%s: %s', async (_, query) => {
    const numbers = await eventually(async () => {
      const found = await prometheus.query(query)
      return found.length > 0 && found
    })
    expect(numbers).not.toContain(Infinity)
  })
})
