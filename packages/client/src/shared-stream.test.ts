import { until } from '@herald/jest-preset/until'
import { afterEach, expect, test } from '@jest/globals'
import { createSharedFollow } from './shared-stream.ts'
import type { FeedEvent, FollowOptions } from './stream.ts'

const closing = new AbortController()
let baseUrl = ''
let tabs: AbortController[] = []
afterEach(() => {
  for (const tab of tabs) tab.abort()
  tabs = []
})

/** A server's stream, whose connections the test counts and feeds. */
function createServer() {
  const open = new Set<(event: FeedEvent) => void>()
  const from: (string | undefined)[] = []
  async function* follow({ signal, lastEventId }: FollowOptions = {}): AsyncGenerator<FeedEvent, never, undefined> {
    const events: FeedEvent[] = [{ type: 'heartbeat', lastEventId: lastEventId ?? 'start' }]
    let wake = () => {}
    const push = (event: FeedEvent) => {
      events.push(event)
      wake()
    }
    from.push(lastEventId)
    open.add(push)
    signal?.addEventListener('abort', () => wake())
    try {
      for (;;) {
        yield* events.splice(0)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        signal?.throwIfAborted()
      }
    } finally {
      open.delete(push)
    }
  }
  const send = (lastEventId: string) => {
    for (const push of open) push({ type: 'seen', seenUpTo: lastEventId, lastEventId })
  }
  return { follow, open, from, send }
}

function openTab(follow: ReturnType<typeof createServer>['follow'], user: string | null, lastEventId?: string) {
  const tab = new AbortController()
  tabs.push(tab)
  const seen: string[] = []
  const shared = createSharedFollow({
    follow,
    user: async () => user,
    baseUrl,
    silenceMs: 60_000,
    closed: closing.signal,
  })
  void (async () => {
    for await (const event of shared({ shared: true, signal: tab.signal, lastEventId })) {
      seen.push(event.type === 'seen' ? event.seenUpTo : event.type)
    }
  })().catch(() => {})
  return { seen, close: () => tab.abort() }
}

test('the tabs of a user share one stream, and another one goes on where the first has ended', async () => {
  baseUrl = 'https://one.example'
  const server = createServer()
  const first = openTab(server.follow, 'ada')
  await until(() => first.seen.includes('heartbeat'))
  const others = [openTab(server.follow, 'ada'), openTab(server.follow, 'ada')]
  await until(() => others.every(({ seen }) => seen.includes('reset')))
  expect(server.from).toEqual([undefined])
  server.send('a')
  await until(() => others.every(({ seen }) => seen.includes('a')))
  first.close()
  await until(() => server.from.length === 2)
  expect(server.from).toEqual([undefined, 'a'])
  await until(() => others.every(({ seen }) => seen.at(-1) === 'heartbeat'))
  server.send('b')
  await until(() => others.every(({ seen }) => seen.at(-1) === 'b'))
  expect([server.open.size, first.seen.includes('b')]).toEqual([1, false])
})

test('a tab that is level with the one that leads lists nothing again', async () => {
  baseUrl = 'https://two.example'
  const server = createServer()
  const first = openTab(server.follow, 'ada')
  await until(() => first.seen.includes('heartbeat'))
  const second = openTab(server.follow, 'ada', 'start')
  await until(() => second.seen.length > 0)
  expect(second.seen).toEqual(['heartbeat'])
})

test('tabs of other users share nothing', async () => {
  baseUrl = 'https://three.example'
  const server = createServer()
  const users = ['ada', 'bo', null].map((user) => openTab(server.follow, user))
  await until(() => users.every(({ seen }) => seen.includes('heartbeat')))
  expect(server.open.size).toBe(3)
})

test('the other tabs learn that the stream is lost', async () => {
  baseUrl = 'https://four.example'
  const server = createServer()
  const first = openTab(server.follow, 'ada')
  await until(() => first.seen.includes('heartbeat'))
  const second = openTab(server.follow, 'ada')
  await until(() => second.seen.includes('reset'))
  for (const push of server.open) {
    push({ type: 'lost', reason: 'refused', retryInMs: 1, error: new Error('no clone'), lastEventId: 'x' })
  }
  await until(() => second.seen.includes('lost'))
})

test('a tab takes the lead from one that does not answer', async () => {
  baseUrl = 'https://five.example'
  const server = createServer()
  let [stolen, release] = [false, () => {}]
  const frozen = new Promise<void>((resolve) => {
    release = resolve
  })
  void navigator.locks
    .request(`herald ${baseUrl} ada`, () => frozen)
    .catch(() => {
      stolen = true
    })
  const tab = openTab(server.follow, 'ada')
  await until(() => tab.seen.includes('heartbeat'))
  expect(stolen).toBe(true)
  release()
})
