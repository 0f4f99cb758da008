import type { Notification } from '@herald/client'
import { expect, test } from '@jest/globals'
import { type Mark, marked } from './changes.ts'
import { emptyInbox, type InboxState, shown, withChange, withFirstPage, withNextPage } from './inbox-state.ts'

const readAt = '2026-01-31T10:00:00Z'
const idOf = (place: number) => `0190a6e0-0000-7000-8000-00000000000${place}`
const one = (place: number, read = false) => ({ id: idOf(place), readAt: read ? readAt : null }) as Notification
const arrival = (notification: Notification) => ({ type: 'notification', notification }) as const

/** Newest first: 5 (unread), 3 (read), 2 (unread), and there are more. */
const listed: InboxState = withFirstPage(
  { ...emptyInbox, unreadCount: 7 },
  { items: [one(5), one(3, true), one(2)], nextCursor: idOf(2) },
)
const seen = (state: InboxState) => {
  const { items, unreadCount } = shown(state)
  return {
    unreadCount,
    items: items.map(({ notification, isRead }) => `${notification.id.at(-1)}${isRead ? '' : '•'}`),
  }
}
const read = (...places: number[]): Mark => ({ type: 'read-state', ids: places.map(idOf), readAt })
const unread = (...places: number[]): Mark => ({ type: 'read-state', ids: places.map(idOf), readAt: null })
const archived = (...places: number[]): Mark => ({ type: 'archive-state', ids: places.map(idOf), archivedAt: readAt })
const pending = (...marks: Mark[]) => ({ ...listed, pending: marks.map((mark) => ({ mark })) })

test('inserts an arrival at the top and counts it', () => {
  expect(seen(withChange(listed, arrival(one(6))))).toEqual({ unreadCount: 8, items: ['6•', '5•', '3', '2•'] })
})

test('counts a repeated notification once', () => {
  expect(withChange(listed, arrival(one(5)))).toBe(listed)
})

test('lists a muted arrival without counting it', () => {
  const muted = { ...one(6, true), mutedAt: readAt }
  expect(seen(withChange(listed, arrival(muted)))).toEqual({ unreadCount: 7, items: ['6', '5•', '3', '2•'] })
})

test('inserts a late arrival at its position, or leaves it to a later page', () => {
  expect(seen(withChange(listed, arrival(one(4))))).toEqual({ unreadCount: 8, items: ['5•', '4•', '3', '2•'] })
  expect(seen(withChange(listed, arrival(one(1))))).toEqual({ unreadCount: 8, items: ['5•', '3', '2•'] })
  const all = { ...listed, nextCursor: null }
  expect(seen(withChange(all, arrival(one(1))))).toEqual({ unreadCount: 8, items: ['5•', '3', '2•', '1•'] })
})

test('counts an arrival before the first list without inserting it', () => {
  const state = withChange({ ...emptyInbox, unreadCount: 0 }, arrival(one(6)))
  expect(seen(state)).toEqual({ unreadCount: 1, items: [] })
})

test('adds only new items of an overlapping page', () => {
  const next = withNextPage(listed, { items: [one(2), one(1, true)], nextCursor: null })
  expect(seen(next)).toEqual({ unreadCount: 7, items: ['5•', '3', '2•', '1'] })
})

test('a mark made elsewhere changes the count by the items it changed', () => {
  expect(seen(withChange(listed, read(5, 3)))).toEqual({ unreadCount: 6, items: ['5', '3', '2•'] })
  expect(seen(withChange(listed, unread(5, 3, 2)))).toEqual({ unreadCount: 8, items: ['5•', '3•', '2•'] })
})

test('an archived notification leaves the list, and the count if it was unread', () => {
  expect(seen(withChange(listed, archived(5, 3)))).toEqual({ unreadCount: 6, items: ['2•'] })
})

test('archiving marks as read, and marking as unread takes out of the archive and of the muted ones', () => {
  const item = marked(one(5), archived(5))
  expect(item).toMatchObject({ archivedAt: readAt, readAt })
  expect(marked({ ...(item as Notification), mutedAt: readAt }, unread(5))).toEqual(one(5))
  expect(marked(one(3, true), { ...archived(3), archivedAt: '2026-02-01T00:00:00Z' })).toMatchObject({ readAt })
})

test.each<[string, Partial<Mark>, string[]]>([
  ['up to one of them', { upTo: idOf(3) }, ['5•']],
  ['only those that are read', { upTo: idOf(5), status: 'read' }, ['5•', '2•']],
  ['at another location', { upTo: null, locationType: 'file', locationId: idOf(9) }, ['5•', '3', '2•']],
])('archives in bulk %s', (_, which, items) => {
  const mark: Mark = { type: 'bulk-archive-state', archivedAt: readAt, ...which }
  expect(seen(withChange(listed, mark)).items).toEqual(items)
})

test('the list of archived notifications loses those that are taken out', () => {
  const archive = {
    ...listed,
    listing: 'archived',
    items: [5, 3].map((place) => marked(one(place, true), archived(place))),
  }
  const mark: Mark = { type: 'archive-state', ids: [idOf(5)], archivedAt: null }
  expect(seen(withChange(archive as InboxState, mark))).toEqual({ unreadCount: 7, items: ['3'] })
})

test('shows a pending mark until it is undone', () => {
  const marking = pending(read(5))
  expect(seen(marking)).toEqual({ unreadCount: 6, items: ['5', '3', '2•'] })
  expect(seen({ ...marking, pending: [] })).toEqual(seen(listed))
})

test('shows the last of two pending marks', () => {
  expect(seen(pending(read(5), unread(5)))).toEqual(seen(listed))
})

test('does not count a pending mark twice when the stream reports it first', () => {
  expect(seen(withChange(pending(read(5)), read(5)))).toEqual({ unreadCount: 6, items: ['5', '3', '2•'] })
  expect(seen(withChange(pending(archived(5)), archived(5)))).toEqual({ unreadCount: 6, items: ['3', '2•'] })
})

test('marking all does not affect later arrivals', () => {
  const marking = pending({ type: 'bulk-read-state', upTo: idOf(5), readAt })
  expect(seen(marking)).toEqual({ unreadCount: 0, items: ['5', '3', '2'] })
  expect(seen(withChange(marking, arrival(one(6))))).toEqual({ unreadCount: 1, items: ['6•', '5', '3', '2'] })
})

test('an archive that is undone after the list was fetched again shows its notification at its place', () => {
  const hidden = pending(archived(3))
  const again = withFirstPage(hidden, { items: [one(6), one(5), one(3, true)], nextCursor: null })
  expect(seen(again).items).toEqual(['6•', '5•'])
  expect(seen({ ...again, pending: [] }).items).toEqual(['6•', '5•', '3'])
})
