import type { FeedEvent, Notification } from '@herald/client'
import { afterEach, expect, test } from '@jest/globals'
import { createInboxFeed, type InboxFeed, type InboxFeedDependencies, type News } from './inbox-feed.ts'
import { shown } from './inbox-state.ts'

type Source = InboxFeedDependencies['notifications']

const idOf = (place: number) => `0190a6e0-0000-7000-8000-00000000000${place}`
const one = (place: number, readAt: string | null = null) =>
  ({ id: idOf(place), readAt, actor: { name: 'Mei' } }) as Notification

/** A stream whose events the test emits. Records the position at which each connection resumed. */
function createStream() {
  const resumedFrom: (string | undefined)[] = []
  let deliver: (event: FeedEvent) => void = () => {}
  async function* stream({
    lastEventId,
    signal,
  }: {
    lastEventId?: string | undefined
    signal?: AbortSignal | undefined
  } = {}) {
    resumedFrom.push(lastEventId)
    while (!signal?.aborted) {
      yield await new Promise<FeedEvent>((resolve) => {
        deliver = resolve
      })
    }
  }
  const settle = () => new Promise((resolve) => setTimeout(resolve))
  return {
    stream: stream as unknown as Source['stream'],
    resumedFrom,
    async emit(event: object, lastEventId?: string): Promise<void> {
      await settle()
      deliver({ ...event, lastEventId } as FeedEvent)
      await settle()
    },
  }
}

let feed: InboxFeed
afterEach(() => feed.stop())

function start(source: Partial<Source>, pages: Notification[][] = []) {
  const stream = createStream()
  const news: News['kind'][] = []
  const lists = { count: 0 }
  const list = async () => ({ notifications: pages[lists.count++] ?? pages.at(-1) ?? [], nextCursor: null })
  const notifications = { list, stream: stream.stream, ...source } as Source
  feed = createInboxFeed({ notifications, onChange: () => {}, onNews: ({ kind }) => news.push(kind) })
  feed.start()
  return { ...stream, news, lists }
}

const seen = () =>
  shown(feed.state).items.map(({ notification, isRead }) => `${notification.id.at(-1)}${isRead ? '' : '•'}`)

test('undoes a failed mark and keeps notifications that arrived meanwhile', async () => {
  const answer = Promise.withResolvers<Notification>()
  const { emit, news } = start({ markRead: () => answer.promise }, [[one(2), one(1)]])
  await feed.list('all')
  const marking = feed.mark(idOf(2), true)
  expect(seen()).toEqual(['2', '1•'])
  await emit({ type: 'notification', notification: one(3) })
  answer.reject(new Error('away'))
  expect(await marking).toBe(false)
  expect(seen()).toEqual(['3•', '2•', '1•'])
  expect(news).toEqual(['arrived', 'mark-failed'])
})

test('sends marks one at a time, also after a failed one', async () => {
  const sent: string[] = []
  const first = Promise.withResolvers<Notification>()
  const markRead = (id: string) => {
    sent.push(`read ${id.at(-1)}`)
    return first.promise
  }
  const markUnread = async (id: string) => {
    sent.push(`unread ${id.at(-1)}`)
    return one(Number(id.at(-1)))
  }
  start({ markRead, markUnread }, [[one(2)]])
  await feed.list('all')
  const marking = [feed.mark(idOf(2), true), feed.mark(idOf(2), false)]
  await Promise.resolve()
  expect(sent).toEqual(['read 2'])
  first.reject(new Error('away'))
  expect(await Promise.all(marking)).toEqual([false, true])
  expect(sent).toEqual(['read 2', 'unread 2'])
  expect(seen()).toEqual(['2•'])
})

test('fetches the list again if it was fetched before the stream was live', async () => {
  const { emit, lists } = start({}, [[one(1)], [one(2), one(1)]])
  await feed.list('all')
  await emit({ type: 'heartbeat' })
  expect(seen()).toEqual(['2•', '1•'])
  await emit({ type: 'heartbeat' })
  expect(lists.count).toBe(2)
})

test('fetches the list again after a reset, but not before the first fetch', async () => {
  const { emit, lists } = start({}, [[one(1)], [one(2), one(1)]])
  await emit({ type: 'reset', reason: 'too-old' })
  expect(lists.count).toBe(0)
  await feed.list('all')
  expect(lists.count).toBe(1)
  await emit({ type: 'reset', reason: 'too-old' })
  expect([lists.count, seen()]).toEqual([2, ['2•', '1•']])
})

test('an immediate reconnect resumes at the last position', async () => {
  const { emit, news, resumedFrom } = start({})
  await emit({ type: 'heartbeat' }, 'a')
  await emit({ type: 'lost', reason: 'connection' }, 'a')
  expect([feed.state.connection, news]).toEqual(['offline', ['offline']])
  feed.reconnect()
  await emit({ type: 'heartbeat' }, 'b')
  expect([feed.state.connection, news]).toEqual(['live', ['offline', 'online']])
  expect(resumedFrom).toEqual([undefined, 'a'])
})

test('does not report token expiry as a lost connection', async () => {
  const { emit, news } = start({})
  await emit({ type: 'heartbeat' })
  await emit({ type: 'lost', reason: 'expired' })
  expect([feed.state.connection, news]).toEqual(['live', []])
})

test('removes a retracted notification, also from a list that was requested before', async () => {
  const answer = Promise.withResolvers<{ notifications: Notification[]; nextCursor: null }>()
  const lists = [{ notifications: [one(2), one(1)], nextCursor: null }, answer.promise]
  const { emit } = start({ list: (async () => lists.shift()) as unknown as Source['list'] })
  await emit({ type: 'heartbeat' })
  await feed.list('all')
  await emit({ type: 'unread-count', unreadCount: 2 })
  const listing = feed.refresh()
  await emit({ type: 'retracted', ids: [idOf(2)] })
  expect([seen(), feed.state.unreadCount]).toEqual([['1•'], 1])
  answer.resolve({ notifications: [one(2), one(1)], nextCursor: null })
  await listing
  expect(seen()).toEqual(['1•'])
})

test('what events say during a request stands after it', async () => {
  const first = Promise.withResolvers<object>()
  const second = Promise.withResolvers<object>()
  const pages = [first.promise, second.promise]
  const { emit } = start({ list: (async () => pages.shift()) as unknown as Source['list'] })
  await emit({ type: 'heartbeat' })
  const listing = feed.list('all')
  await emit({ type: 'unread-count', unreadCount: 2 })
  first.resolve({ notifications: [one(2)], nextCursor: idOf(2) })
  await listing
  expect([feed.state.unreadCount, feed.state.connection]).toEqual([2, 'live'])
  const loading = feed.more()
  await emit({ type: 'notification', notification: one(3) })
  second.resolve({ notifications: [one(1)], nextCursor: null })
  await loading
  expect([seen(), feed.state.unreadCount]).toEqual([['3•', '2•', '1•'], 3])
})

test('fetches the list after notifications were retracted in bulk', async () => {
  const { emit } = start({}, [[one(2), one(1)], [one(2)]])
  await emit({ type: 'heartbeat' })
  await feed.list('all')
  await emit({ type: 'bulk-retracted', upTo: idOf(1) })
  expect(seen()).toEqual(['2•'])
})

test('is empty after the whole feed was erased', async () => {
  const { emit, lists } = start({}, [[one(2), one(1)], []])
  await emit({ type: 'heartbeat' })
  await feed.list('all')
  await emit({ type: 'unread-count', unreadCount: 2 })
  const before = lists.count
  await emit({ type: 'bulk-retracted', upTo: idOf(2) })
  await emit({ type: 'unread-count', unreadCount: 0 })
  expect([seen(), feed.state.unreadCount, lists.count]).toEqual([[], 0, before + 1])
})

test.each([idOf(3), null])('fetches the list after a bulk mark elsewhere, up to %s', async (upTo) => {
  const { emit } = start({}, [
    [one(3), one(2), one(1)],
    [one(3), one(2), one(1, '2026-01-31T09:30:00Z')],
  ])
  await emit({ type: 'heartbeat' })
  await feed.list('all')
  await emit({ type: 'bulk-read-state', upTo, readAt: '2026-01-31T09:30:00Z' })
  expect(seen()).toEqual(['3•', '2•', '1'])
})
