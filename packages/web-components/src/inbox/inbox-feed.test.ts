import type { FeedEvent, Notification } from '@herald/client'
import { until } from '@herald/jest-preset/until'
import { afterEach, expect, test } from '@jest/globals'
import { createInboxFeed, type InboxFeed } from './inbox-feed.ts'
import { shown } from './inbox-state.ts'
import type { InboxFeedDependencies, News } from './user-inbox.ts'

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
  const counts = async () => ({ unreadCount: 0, unseenCount: 0, seenUpTo: null })
  const list = async () => ({ notifications: pages[lists.count++] ?? pages.at(-1) ?? [], nextCursor: null })
  const notifications = { list, counts, stream: stream.stream, ...source } as Source
  feed = createInboxFeed({ notifications, undoMs: 500, onChange: () => {}, onNews: ({ kind }) => news.push(kind) })
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
  feed.notice('online')
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
  const { emit, lists } = start({}, [[one(2), one(1)], [one(2)]])
  await emit({ type: 'heartbeat' })
  await feed.list('all')
  const before = lists.count
  await emit({ type: 'bulk-retracted', upTo: idOf(1) })
  await until(() => lists.count > before)
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
  await until(() => lists.count === before + 1)
  expect([seen(), feed.state.unreadCount]).toEqual([[], 0])
})

test.each([idOf(3), null])('fetches the list after a bulk mark elsewhere, up to %s', async (upTo) => {
  const { emit } = start({}, [
    [one(3), one(2), one(1)],
    [one(3), one(2), one(1, '2026-01-31T09:30:00Z')],
  ])
  await emit({ type: 'heartbeat' })
  await feed.list('all')
  await emit({ type: 'bulk-read-state', upTo, readAt: '2026-01-31T09:30:00Z' })
  await until(() => seen().join() === '3•,2•,1')
})

const archivedAt = '2026-01-31T09:30:00Z'
const archived = (place: number) => ({ ...one(place, archivedAt), archivedAt })

/** Calls that the feed makes, as words. */
function createCalls() {
  const calls: string[] = []
  const call =
    <Answer>(name: string, answer: (id: string) => Answer) =>
    async (which: string | { upTo?: string }, options: { keepalive?: boolean } = {}) => {
      const what = typeof which === 'string' ? which : String(which.upTo)
      calls.push(`${name} ${what.at(-1)}${options.keepalive ? ' while leaving' : ''}`)
      return answer(what)
    }
  const place = (id: string) => Number(id.at(-1))
  const bulk = { updated: 1, unreadCount: 5, unseenCount: 0 }
  const source = {
    archive: call('archive', (id) => archived(place(id))),
    archiveMany: call('archive group', () => bulk),
    markManyRead: call('read group', () => bulk),
    unarchive: call('unarchive', (id) => one(place(id), archivedAt)),
    markSeen: call('see', (seenUpTo) => ({ unseenCount: 0, seenUpTo })),
  } as unknown as Partial<Source>
  return { calls, source }
}

test('archives at once for the reader, and in Herald when it can no longer be undone', async () => {
  const { calls, source } = createCalls()
  start(source, [[one(2), one(1)]])
  await feed.list('all')
  const archiving = feed.archive(idOf(2))
  expect([seen(), calls, feed.state.undoable]).toEqual([['1•'], [], expect.anything()])
  expect(await archiving).toBe(true)
  expect([seen(), calls, feed.state.undoable]).toEqual([['1•'], ['archive 2'], undefined])
})

test('an archive that is undone is never sent, and its notification is back, also after a new list', async () => {
  const { calls, source } = createCalls()
  start(source, [
    [one(2), one(1)],
    [one(3), one(2), one(1)],
  ])
  await feed.list('all')
  const archiving = feed.archive(idOf(2))
  await feed.refresh()
  expect(seen()).toEqual(['3•', '1•'])
  feed.undo()
  expect(await archiving).toBe(false)
  expect([seen(), calls, feed.state.pending]).toEqual([['3•', '2•', '1•'], [], []])
})

test('the next archive saves the one before, so that each can be undone alone', async () => {
  const { calls, source } = createCalls()
  start(source, [[one(3), one(2), one(1)]])
  await feed.list('all')
  const first = feed.archive(idOf(3))
  const second = feed.archive(idOf(2))
  expect(await first).toBe(true)
  expect([seen(), calls]).toEqual([['1•'], ['archive 3']])
  feed.undo()
  expect(await second).toBe(false)
  expect([seen(), calls]).toEqual([['2•', '1•'], ['archive 3']])
})

test.each(['leave', 'stop'] as const)('saves at once what could still be undone on %s', async (ending) => {
  const { calls, source } = createCalls()
  start(source, [[one(2), one(1)]])
  await feed.list('all')
  const archiving = feed.archive(idOf(2))
  feed[ending]()
  // In the same turn: a page that is left has no other one.
  expect(calls).toEqual(['archive 2 while leaving'])
  expect(await archiving).toBe(true)
})

test('an archive that fails brings its notification back', async () => {
  const archive = async () => {
    throw new Error('away')
  }
  const { news } = start({ archive }, [[one(2), one(1)]])
  await feed.list('all')
  const archiving = feed.archive(idOf(2))
  feed.leave()
  expect(await archiving).toBe(false)
  expect([seen(), news]).toEqual([['2•', '1•'], ['mark-failed']])
})

test.each([
  ['archived', { type: 'archive-state', ids: [idOf(2)], archivedAt }],
  ['retracted', { type: 'retracted', ids: [idOf(2)] }],
])('is not sent when its notification is %s elsewhere meanwhile', async (_, event) => {
  const { calls, source } = createCalls()
  const { emit } = start(source, [[one(2), one(1)]])
  await feed.list('all')
  const archiving = feed.archive(idOf(2))
  await emit(event)
  expect(await archiving).toBe(true)
  feed.undo()
  expect([seen(), calls, feed.state.undoable]).toEqual([['1•'], [], undefined])
})

test('a mark that is sent because the page may be left replaces those before, and follows one on its way', async () => {
  const { calls, source } = createCalls()
  const answers: (() => void)[] = []
  const later = (name: string, readAt?: string) => async (id: string, options: { keepalive?: boolean }) => {
    calls.push(`${name} ${id.at(-1)}${options.keepalive ? ' while leaving' : ''}`)
    await new Promise<void>((resolve) => answers.push(resolve))
    return one(Number(id.at(-1)), readAt)
  }
  const marks = { markRead: later('read', archivedAt), markUnread: later('unread') } as unknown as Partial<Source>
  start({ ...source, ...marks }, [[one(2), one(1)]])
  await feed.list('all')
  const earlier = [feed.mark(idOf(2), true), feed.mark(idOf(2), false), feed.mark(idOf(1), true)]
  await until(() => calls.length === 1)
  const last = feed.mark(idOf(2), true, true)
  expect([seen(), calls]).toEqual([
    ['2', '1'],
    ['read 2', 'read 2 while leaving'],
  ])
  for (const count of [2, 1, 1]) {
    await until(() => answers.length === count)
    for (const answer of answers.splice(0)) answer()
  }
  expect(await Promise.all([...earlier, last])).toEqual([true, false, true, true])
  expect([seen(), calls.slice(2), feed.state.pending]).toEqual([['2', '1'], ['read 1', 'read 2'], []])
})

test('lists archived notifications, and takes one out of the archive', async () => {
  const { calls, source } = createCalls()
  const queries: object[] = []
  const list = (async (query: object) => {
    queries.push(query)
    return { notifications: [archived(2), archived(1)], nextCursor: null }
  }) as unknown as Source['list']
  const { emit } = start({ ...source, list })
  await feed.list('archived')
  expect(queries).toEqual([expect.objectContaining({ archived: 'true' })])
  expect(await feed.unarchive(idOf(2))).toBe(true)
  await emit({ type: 'archive-state', ids: [idOf(2)], archivedAt: null })
  expect([seen(), calls]).toEqual([['1'], ['unarchive 2']])
})

test('keeps what arrives while the first page is loaded', async () => {
  const answer = Promise.withResolvers<object>()
  const { emit } = start({ list: (async () => answer.promise) as unknown as Source['list'] })
  await emit({ type: 'heartbeat' })
  const listing = feed.list('all')
  await emit({ type: 'unread-count', unreadCount: 2, unseenCount: 2 })
  await emit({ type: 'notification', notification: one(3) })
  answer.resolve({ notifications: [one(2), one(1)], nextCursor: null })
  await listing
  expect([seen(), feed.state.unreadCount]).toEqual([['3•', '2•', '1•'], 3])
})

test('fetches the list when one that it does not have was taken out of the archive elsewhere', async () => {
  const { emit, lists } = start({}, [[one(2)], [one(2), one(1, archivedAt)]])
  await emit({ type: 'heartbeat' })
  await feed.list('all')
  await emit({ type: 'archive-state', ids: [idOf(1)], archivedAt: null })
  await until(() => seen().join() === '2•,1')
  await emit({ type: 'archive-state', ids: [idOf(2)], archivedAt })
  expect([seen(), lists.count]).toEqual([['1'], 2])
})

test('a count of the stream is newer than that of a bulk mark that was asked before', async () => {
  const answer = Promise.withResolvers<object>()
  const { emit } = start({ markManyRead: (async () => answer.promise) as unknown as Source['markManyRead'] }, [
    [one(1)],
  ])
  await emit({ type: 'heartbeat' })
  await feed.list('all')
  const marking = feed.markAll()
  await emit({ type: 'notification', notification: one(2) })
  await emit({ type: 'unread-count', unreadCount: 1, unseenCount: 1 })
  answer.resolve({ updated: 1, unreadCount: 0, unseenCount: 0 })
  expect(await marking).toBe(true)
  expect([seen(), feed.state.unreadCount]).toEqual([['2•', '1'], 1])
})

test('has counts without a stream', async () => {
  const stream = (() => {
    throw new Error('refused')
  }) as unknown as Source['stream']
  const counts = async () => ({ unreadCount: 4, unseenCount: 2, seenUpTo: idOf(1) })
  start({ stream, counts })
  await until(() => feed.state.connection === 'polling')
  expect(feed.state).toMatchObject({ unreadCount: 4, connection: 'polling', unseenCount: 2, seenUpTo: idOf(1) })
})

test('does not announce a muted arrival', async () => {
  const { emit, news } = start({}, [[one(1)]])
  await feed.list('all')
  await emit({ type: 'notification', notification: { ...one(2, archivedAt), mutedAt: archivedAt } })
  expect([seen(), news]).toEqual([['2', '1•'], []])
})

test('marks the newest one shown as seen, once', async () => {
  const { calls, source } = createCalls()
  const { emit } = start(source, [[one(2), one(1)]])
  await feed.list('all')
  await until(() => feed.state.seenUpTo === null)
  await Promise.all([feed.see(), feed.see()])
  await feed.see()
  expect([calls, feed.state.seenUpTo]).toEqual([['see 2'], idOf(2)])
  await emit({ type: 'seen', seenUpTo: idOf(3) })
  expect(feed.state.seenUpTo).toBe(idOf(3))
})

const at = { locationType: 'comment', locationId: 'a' } as const
const inGroup = (place: number, readAt: string | null = null) =>
  ({ ...one(place, readAt), ...at, actor: { id: 'm' } }) as Notification
const groupOf = (latest: Notification, count: number) => ({
  ...at,
  latest,
  count,
  unreadCount: count,
  actors: [latest.actor],
  otherActors: 0,
})

/** A feed with one group, whose pages of groups and of notifications come from the test. */
async function startGrouped(count: number, older: Notification[] = [], answers: Partial<Source> = {}) {
  const { calls, source } = createCalls()
  const groups = [groupOf(inGroup(3), count)]
  const lists = { groups: 0, list: 0 }
  const started = start({
    ...source,
    ...answers,
    groups: (async () => {
      lists.groups++
      return { groups, nextCursor: null, truncated: false }
    }) as unknown as Source['groups'],
    list: (async () => {
      lists.list++
      return { notifications: older, nextCursor: null }
    }) as unknown as Source['list'],
  })
  await started.emit({ type: 'heartbeat' })
  await feed.group(true)
  await feed.list('all')
  await started.emit({ type: 'unread-count', unreadCount: count, unseenCount: 0 })
  const group = () => {
    const [first] = shown(feed.state).groups ?? []
    if (!first) throw new Error('No group is shown')
    return first
  }
  return { ...started, calls, lists, group, groups }
}

test('marks and archives a group by one call, up to the newest one shown', async () => {
  const { calls, emit, group, lists } = await startGrouped(3)
  const marking = feed.markGroup(group())
  expect([group().unreadCount, shown(feed.state).unreadCount]).toEqual([0, 0])
  await marking
  const archiving = feed.archiveGroup(group())
  expect(shown(feed.state).groups).toEqual([])
  await emit({ type: 'notification', notification: inGroup(4) })
  expect(group()).toMatchObject({ count: 1, unreadCount: 1 })
  feed.leave()
  expect(await archiving).toBe(true)
  await emit({ type: 'bulk-archive-state', upTo: idOf(3), archivedAt, ...at })
  expect(group()).toMatchObject({ count: 1, unreadCount: 1 })
  expect([calls, lists.groups]).toEqual([['read group 3', 'archive group 3 while leaving'], 1])
})

test('the event of its own bulk, by ids that the group has not loaded, says no more than the bulk', async () => {
  const answer = Promise.withResolvers<object>()
  const archiveMany = (async () => answer.promise) as unknown as Source['archiveMany']
  const { emit, group } = await startGrouped(3, [], { archiveMany })
  const archiving = feed.archiveGroup(group())
  await emit({ type: 'notification', notification: inGroup(4) })
  feed.leave()
  await emit({ type: 'archive-state', ids: [3, 2, 1].map(idOf), archivedAt })
  expect(feed.state.groups).toEqual([expect.objectContaining({ count: 1, unreadCount: 1 })])
  answer.resolve({ updated: 3, unreadCount: 1, unseenCount: 1 })
  expect(await archiving).toBe(true)
})

test('an opened group has its older notifications, also after a new list', async () => {
  const { group, lists } = await startGrouped(3, [inGroup(2), inGroup(1)])
  await feed.toggleGroup('comment-a')
  expect([group().items.length, group().count, group().isOpen]).toEqual([3, 3, true])
  await feed.toggleGroup('comment-a')
  await feed.toggleGroup('comment-a')
  expect(lists.list).toBe(1)
  await feed.refresh()
  expect([group().isOpen, lists]).toEqual([true, { groups: 2, list: 2 }])
})

test('only fetches groups again when it cannot know what a mark has changed', async () => {
  const { emit, group, groups, lists } = await startGrouped(3)
  await emit({ type: 'read-state', ids: [idOf(3)], readAt: archivedAt })
  await emit({ type: 'bulk-read-state', upTo: idOf(3), readAt: archivedAt, ...at })
  await emit({ type: 'notification', notification: inGroup(4) })
  expect([group().unreadCount, group().count, lists.groups]).toEqual([1, 4, 1])
  groups.splice(0, 1, groupOf(inGroup(4), 2))
  await emit({ type: 'retracted', ids: [idOf(1)] })
  await until(() => lists.groups === 2 && group().count === 2)
})
