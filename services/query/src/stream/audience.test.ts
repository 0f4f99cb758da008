import { setTimeout as wait } from 'node:timers/promises'
import type { FeedChange, Selected } from '@herald/feed'
import { expect, test } from '@jest/globals'
import { type ChangeStep, createAudience } from './audience.ts'
import { createTestClient } from './client.fixture.ts'
import type { StreamClient } from './client.ts'

const readAt = new Date('2026-03-01T10:00:00Z')
const at = (n: number) => `${n}`.padStart(4, '0')

const part = (mark: string, id: string): FeedChange => ({
  kind: 'part-of-bulk-mark',
  mark,
  id,
  action: 'read',
  at: readAt,
})
const end = (mark: string, selected: Selected = {}): FeedChange => ({ kind: 'end-of-bulk-mark', mark, selected })
const unread = (id: string): FeedChange => ({ kind: 'read-state', id, readAt: null })

/** An audience of clients at the given positions, and the events of each: position and data without the time. */
function createTestAudience(heldMs?: number, positions: readonly number[] = [0]) {
  const clients = positions.map((position) => createTestClient({ position: at(position) }))
  const masked: StreamClient[] = []
  const audience = createAudience({
    decode: (step) => step.read(),
    members: clients.map(({ client }) => client),
    onMasked: (concerned) => void masked.push(...concerned),
    ...(heldMs === undefined ? {} : { heldMs }),
  })
  let position = 0
  const dispatch = (...changes: readonly FeedChange[]) => {
    for (const change of changes) {
      position++
      const step: ChangeStep = { kind: 'change', position: at(position), owner: 'a', read: () => change }
      audience.dispatch(step)
    }
  }
  const eventsOf = (n: number) =>
    clients[n]?.events.map(({ data, lastEventId }) => {
      const { readAt: time, ...which } = JSON.parse(data)
      return [lastEventId, time === null ? 'unread' : 'read', which]
    })
  const events = (n: number) => clients[n]?.events
  return { audience, dispatch, events, eventsOf, masked, client: clients[0]?.client }
}

test('sends the notifications of a bulk mark as one event, at the position of its end', () => {
  const { dispatch, eventsOf } = createTestAudience()
  dispatch(part('m', '1'), part('m', '2'), part('m', '3'))
  expect(eventsOf(0)).toEqual([])
  dispatch(end('m'))
  expect(eventsOf(0)).toEqual([[at(4), 'read', { ids: ['1', '2', '3'] }]])
})

test('keeps the order of other changes of the same feed', () => {
  const { dispatch, eventsOf } = createTestAudience()
  dispatch(part('m', '1'), part('m', '2'), unread('1'), part('m', '3'), part('n', '1'), end('m'), end('n'))
  expect(eventsOf(0)).toEqual([
    [at(2), 'read', { ids: ['1', '2'] }],
    [at(3), 'unread', { ids: ['1'] }],
    [at(4), 'read', { ids: ['3'] }],
    [at(7), 'read', { ids: ['1'] }],
  ])
})

const parts = (mark: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => part(mark, at(from + n)))
/** The ids of the events, or their number if there are many. */
const outlineOf = (events: ReturnType<ReturnType<typeof createTestAudience>['eventsOf']>) =>
  events?.map(([, , { ids, ...which }]) => (ids ? (ids.length > 1 ? ids.length : ids[0]) : which))

test('names up to 1,000 notifications; beyond that, only the newest one', () => {
  const { dispatch, eventsOf } = createTestAudience()
  dispatch(...parts('m', 0, 1_001), end('m', { upTo: 'x' }))
  dispatch(...parts('n', 0, 1_000), end('n'))
  dispatch(...parts('o', 0, 1_001), end('o'))
  expect(outlineOf(eventsOf(0))).toEqual([{ all: true, upTo: 'x' }, 1_000, { all: true, upTo: at(1_000) }])
})

test('a large mark does not include what was stored after its snapshot and before its first part', () => {
  const { dispatch, eventsOf } = createTestAudience()
  const arrival = { kind: 'notification', json: JSON.stringify({ id: at(2_000), readAt: null }) } as const
  dispatch(arrival, ...parts('m', 0, 1_500), end('m'))
  expect(outlineOf(eventsOf(0))?.at(-1)).toEqual({ all: true, upTo: at(1_499) })
})

const arrival = (id: string): FeedChange => ({ kind: 'notification', json: JSON.stringify({ id, readAt: null }) })

test('a large mark is one event, whatever arrives meanwhile', () => {
  const { dispatch, eventsOf, events } = createTestAudience()
  dispatch(begin('m', {}), ...parts('m', 0, 1_500), arrival('x'), ...parts('m', 1_500, 4_000), arrival('y'), end('m'))
  expect(events(0)?.map(({ event, lastEventId }) => [event, lastEventId])).toEqual([
    // Without an id: a client that resumed from it would miss the mark.
    ['notification', ''],
    ['notification', ''],
    ['read-state', at(4_004)],
  ])
  expect(outlineOf(eventsOf(0))?.at(-1)).toEqual({ all: true, upTo: at(3_999) })
})

test('a large mark during which an older one arrives says to list again', () => {
  const { dispatch, events } = createTestAudience()
  dispatch(begin('m', {}), ...parts('m', 1_000, 2_500), arrival(at(500)), end('m'))
  expect(events(0)?.map(({ event }) => event)).toEqual(['notification', 'reset'])
})

test('a large mark that another change splits is two events', () => {
  const { dispatch, eventsOf, events } = createTestAudience()
  dispatch(begin('m', {}), ...parts('m', 0, 1_500), unread('x'), ...parts('m', 1_500, 4_000), end('m'))
  expect(outlineOf(eventsOf(0))?.slice(0, 2)).toEqual([{ all: true, upTo: at(1_499) }, 'x'])
  // Not `all`, which would include what is unread since.
  expect(
    events(0)
      ?.slice(2)
      .map(({ event }) => event),
  ).toEqual(['reset'])
})

const begin = (mark: string, selected: Selected): FeedChange => ({ kind: 'begin-of-bulk-mark', mark, selected })

test('a mark of a location repeats what it selected, also if another change interrupts it', () => {
  const selected = { locationType: 'comment', locationId: 'l', status: 'read' } as const
  const { dispatch, eventsOf } = createTestAudience()
  dispatch(begin('m', selected), ...parts('m', 0, 1_500), unread('x'), ...parts('m', 1_500, 1_502), end('m', selected))
  dispatch(begin('n', selected), ...parts('n', 0, 1_001), end('n', { ...selected, upTo: 'z' }))
  expect(outlineOf(eventsOf(0))).toEqual([
    { all: true, upTo: at(1_499), ...selected },
    'x',
    2,
    { all: true, upTo: 'z', ...selected },
  ])
})

test('a mark of a location whose beginning was not seen names ids if another change or a timeout interrupts it', async () => {
  const selected = { locationType: 'comment', locationId: 'l' } as const
  const interrupted = createTestAudience()
  interrupted.dispatch(...parts('m', 0, 1_000), unread('x'), ...parts('m', 1_000, 1_100), end('m', selected))
  expect(outlineOf(interrupted.eventsOf(0))).toEqual([1_000, 'x', 100])
  const expired = createTestAudience(20)
  expired.dispatch(...parts('m', 0, 1_000))
  while (expired.eventsOf(0)?.length !== 1) await wait(5)
  expect(outlineOf(expired.eventsOf(0))).toEqual([1_000])
  const whole = createTestAudience()
  whole.dispatch(...parts('m', 0, 1_500), end('m', selected))
  expect(outlineOf(whole.eventsOf(0))).toEqual([{ all: true, upTo: at(1_499), ...selected }])
})

test('says to list again if a mark whose beginning was not seen has too many to name', () => {
  const { dispatch, events } = createTestAudience()
  dispatch(...parts('m', 0, 1_001), unread('x'), ...parts('m', 1_001, 1_003), end('m'))
  const sent = events(0)?.map(({ event, data, lastEventId }) => [lastEventId, event, JSON.parse(data)])
  expect(sent).toEqual([
    [at(1_001), 'reset', { reason: 'bulk-mark' }],
    [at(1_002), 'read-state', { ids: ['x'], readAt: null }],
    [at(1_005), 'read-state', { ids: [at(1_001), at(1_002)], readAt: '2026-03-01T10:00:00Z' }],
  ])
})

test('keeps several marks of a feed at once apart', () => {
  const [here, there] = ['l', 'k'].map((locationId) => ({ locationType: 'comment', locationId }) as const)
  const { dispatch, eventsOf } = createTestAudience()
  dispatch(begin('m', here ?? {}), begin('n', there ?? {}))
  dispatch(...parts('m', 0, 1_500), ...parts('n', 2_000, 3_500), unread('x'))
  // Both were split, so the unread one in between must not be included.
  dispatch(...parts('m', 4_000, 5_000), end('m', here), ...parts('n', 6_000, 7_000), end('n', there))
  expect(outlineOf(eventsOf(0))).toEqual([
    { all: true, upTo: at(1_499), ...here },
    { all: true, upTo: at(3_499), ...there },
    'x',
    1_000,
    1_000,
  ])
})

test('forgets marks that never end', () => {
  const { dispatch, eventsOf } = createTestAudience()
  dispatch(begin('m', { status: 'read' }))
  for (let n = 0; n < 16; n++) dispatch(begin(`${n}`, {}))
  dispatch(...parts('m', 0, 2), unread('x'))
  expect(outlineOf(eventsOf(0))).toEqual([2, 'x'])
})

test('says what is archived, and what is no longer, under names of their own', () => {
  const { dispatch, events } = createTestAudience()
  const marked = { action: 'archived', at: readAt } as const
  dispatch({ kind: 'part-of-bulk-mark', mark: 'm', id: '1', ...marked }, end('m'))
  dispatch({ kind: 'part-of-bulk-mark', mark: 'n', id: '1', action: 'unarchived', at: null }, end('n'))
  dispatch({ kind: 'archive-state', id: '2', archivedAt: readAt }, { kind: 'seen', upTo: '3' })
  expect(events(0)?.map(({ event, data }) => [event, JSON.parse(data)])).toEqual([
    ['archive-state', { ids: ['1'], archivedAt: '2026-03-01T10:00:00Z' }],
    ['archive-state', { ids: ['1'], archivedAt: null }],
    ['archive-state', { ids: ['2'], archivedAt: '2026-03-01T10:00:00Z' }],
    ['seen', { seenUpTo: '3' }],
  ])
})

test('sends a held mark without its end after a timeout, and on flush', async () => {
  const expired = createTestAudience(20)
  expired.dispatch(part('m', '1'), part('m', '2'))
  while (expired.eventsOf(0)?.length === 0) await wait(5)
  expect(expired.eventsOf(0)).toEqual([[at(2), 'read', { ids: ['1', '2'] }]])
  const flushed = createTestAudience()
  flushed.dispatch(part('m', '1'))
  flushed.audience.flush('a')
  flushed.dispatch(end('m'))
  expect([flushed.eventsOf(0), flushed.client?.position]).toEqual([[[at(1), 'read', { ids: ['1'] }]], at(1)])
})

test('sends nothing to a client that is ahead, and the rest to one in between', () => {
  const { dispatch, eventsOf } = createTestAudience(undefined, [0, 1, 2, 3])
  dispatch(part('m', '1'), part('m', '2'), end('m'))
  expect([0, 1, 2, 3].map((n) => eventsOf(n)?.length)).toEqual([1, 1, 0, 0])
})

test('a change by an erasure is no event, and concerns the clients behind it', () => {
  const { dispatch, events, masked, client } = createTestAudience(undefined, [0, 2])
  dispatch({ kind: 'masked' })
  expect([masked, events(0), events(1)]).toEqual([[client], [], []])
})
