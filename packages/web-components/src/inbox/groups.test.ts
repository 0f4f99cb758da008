import type { Notification, NotificationGroup } from '@herald/client'
import { expect, test } from '@jest/globals'
import type { Mark } from './changes.ts'
import { toGroup } from './groups.ts'
import { emptyInbox, type InboxState, shown, withChange, withFirstPage, withNextPage } from './inbox-state.ts'

const readAt = '2026-01-31T10:00:00Z'
const idOf = (place: number) => `0190a6e0-0000-7000-8000-0000000000${place}`
const at = (locationId: string) => ({ locationType: 'comment', locationId }) as const
const actorOf = (name: string) => ({ id: `id of ${name}`, name, image: '' })
const one = (place: number, locationId: string, by: string) =>
  ({ id: idOf(place), ...at(locationId), readAt: null, actor: actorOf(by) }) as Notification
const groupOf = (latest: Notification, counts: Partial<NotificationGroup> = {}) =>
  toGroup({
    ...at(latest.locationId),
    latest,
    count: 1,
    unreadCount: 1,
    actors: [latest.actor],
    otherActors: 0,
    ...counts,
  })
const arrival = (notification: Notification) => ({ type: 'notification', notification }) as const

/** Group a has 4 notifications, 3 of them unread, by Ada and others; group b has one. */
const a = groupOf(one(50, 'a', 'Ada'), {
  count: 4,
  unreadCount: 3,
  actors: ['Ada', 'Ben', 'Cy'].map(actorOf),
  otherActors: 1,
})
const listed: InboxState = withFirstPage(
  { ...emptyInbox, unreadCount: 4 },
  { items: [], groups: [a, groupOf(one(40, 'b', 'Ben'))], nextCursor: null },
)
const seen = (state: InboxState) => {
  const { groups, unreadCount } = shown(state)
  return [
    unreadCount,
    ...(groups ?? []).map(
      ({ locationId, count, unreadCount, actors, otherActors }) =>
        `${locationId}: ${unreadCount} of ${count}, ${actors.map(({ name }) => name).join(' ')} +${otherActors}`,
    ),
  ]
}

test('an arrival moves its group to the top and adds to its counts', () => {
  expect(seen(withChange(listed, arrival(one(60, 'b', 'Ada'))))).toEqual([
    5,
    'b: 2 of 2, Ada Ben +0',
    'a: 3 of 4, Ada Ben Cy +1',
  ])
})

test('an arrival at a new location becomes a group', () => {
  expect(seen(withChange(listed, arrival(one(60, 'c', 'Di'))))[1]).toBe('c: 1 of 1, Di +0')
})

test('a muted arrival is in its group and in no count of unread ones', () => {
  const muted = { ...one(60, 'b', 'Ada'), readAt, mutedAt: readAt }
  expect(seen(withChange(listed, arrival(muted)))).toEqual([4, 'b: 1 of 2, Ada Ben +0', 'a: 3 of 4, Ada Ben Cy +1'])
})

test('names the actor of an arrival first, and counts each actor once', () => {
  expect(seen(withChange(listed, arrival(one(60, 'a', 'Cy'))))[1]).toBe('a: 4 of 5, Cy Ada Ben +1')
  expect(seen(withChange(listed, arrival(one(60, 'a', 'Di'))))[1]).toBe('a: 4 of 5, Di Ada Ben +1')
  const several = ['Ada', 'Ben', 'Cy', 'Di'].reduce(
    (state, by, index) => withChange(state, arrival(one(60 + index, 'b', by))),
    listed,
  )
  expect(seen(several)[1]).toBe('b: 5 of 5, Di Cy Ben +1')
})

test('a bulk mark of a location marks all of its group, also what is not loaded, and no other', () => {
  const mark: Mark = { type: 'bulk-read-state', upTo: idOf(50), readAt, ...at('a') }
  expect(seen(withChange(listed, mark))).toEqual([1, 'a: 0 of 4, Ada Ben Cy +1', 'b: 1 of 1, Ben +0'])
  const all: Mark = { type: 'bulk-read-state', upTo: idOf(50), readAt }
  expect(seen(withChange(listed, all))).toEqual([0, 'a: 0 of 4, Ada Ben Cy +1', 'b: 0 of 1, Ben +0'])
})

test('an archived group leaves the list; what arrived meanwhile stays', () => {
  const mark: Mark = { type: 'bulk-archive-state', upTo: idOf(50), archivedAt: readAt, ...at('a') }
  expect(seen(withChange(listed, mark))).toEqual([1, 'b: 1 of 1, Ben +0'])
  const meanwhile = withChange(listed, arrival(one(60, 'a', 'Di')))
  expect(seen(withChange(meanwhile, mark))).toEqual([2, 'a: 1 of 1, Di +0', 'b: 1 of 1, Ben +0'])
})

test('archiving only what is read leaves the unread ones of a group', () => {
  const mark: Mark = { type: 'bulk-archive-state', upTo: null, archivedAt: readAt, status: 'read' }
  expect(seen(withChange(listed, mark)).slice(1)).toEqual(['a: 3 of 3, Ada Ben Cy +1', 'b: 1 of 1, Ben +0'])
})

test('a single mark changes the counts of its group once', () => {
  const mark: Mark = { type: 'read-state', ids: [idOf(50)], readAt }
  const marked = withChange(listed, mark)
  expect(seen(marked).slice(0, 2)).toEqual([3, 'a: 2 of 4, Ada Ben Cy +1'])
  expect(seen(withChange(marked, mark))).toEqual(seen(marked))
})

test('a later page is added to a group that has appeared meanwhile', () => {
  const first = { ...listed, nextCursor: 'next' }
  const meanwhile = withChange(first, arrival(one(60, 'c', 'Di')))
  const page = { items: [], groups: [groupOf(one(30, 'c', 'Ada'), { count: 3, unreadCount: 1 })], nextCursor: null }
  expect(seen(withNextPage(meanwhile, page))[1]).toBe('c: 2 of 4, Di Ada +0')
})

test('a later page that counts what arrived adds it once', () => {
  const arrived = one(60, 'c', 'Di')
  const meanwhile = withChange({ ...listed, nextCursor: 'next' }, arrival(arrived))
  const page = { items: [], groups: [groupOf(arrived, { count: 4, unreadCount: 2 })], nextCursor: null }
  const [group] = withNextPage(meanwhile, page).groups ?? []
  expect(group).toMatchObject({ count: 4, unreadCount: 2 })
  expect(group?.items.map(({ id }) => id)).toEqual([arrived.id])
})

test('an opened group shows its line, then its notifications; a group of one is that notification', () => {
  const rowsOf = (state: InboxState) =>
    shown(state).rows.map(({ key, isInGroup }) => `${key}${isInGroup ? ' in it' : ''}`)
  expect(rowsOf(listed)).toEqual(['comment-a', 'comment-b'])
  const opened = { ...listed, groups: [{ ...a, isOpen: true, items: [...a.items, one(49, 'a', 'Ben')] }] }
  expect(rowsOf(opened)).toEqual(['comment-a', `${idOf(50)} in it`, `${idOf(49)} in it`])
  expect(shown(listed).rows.map(({ group }) => group?.count)).toEqual([4, undefined])
})
