import type { Notification } from '@herald/client'
import { expect, test } from '@jest/globals'
import {
  emptyInbox,
  type InboxState,
  shown,
  withArrival,
  withFirstPage,
  withNextPage,
  withReadAt,
} from './inbox-state.ts'

const readAt = '2026-01-31T10:00:00Z'
const idOf = (place: number) => `0190a6e0-0000-7000-8000-00000000000${place}`
const one = (place: number, read = false) => ({ id: idOf(place), readAt: read ? readAt : null }) as Notification

/** Newest first: 5 (unread), 3 (read), 2 (unread), and there are more. */
const listed: InboxState = withFirstPage(
  { ...emptyInbox, unreadCount: 7 },
  { notifications: [one(5), one(3, true), one(2)], nextCursor: idOf(2) },
)
const seen = (state: InboxState) => {
  const { items, unreadCount } = shown(state)
  return {
    unreadCount,
    items: items.map(({ notification, isRead }) => `${notification.id.at(-1)}${isRead ? '' : '•'}`),
  }
}

test('inserts an arrival at the top and counts it', () => {
  expect(seen(withArrival(listed, one(6)))).toEqual({ unreadCount: 8, items: ['6•', '5•', '3', '2•'] })
})

test('counts a repeated notification once', () => {
  expect(withArrival(listed, one(5))).toBe(listed)
})

test('inserts a late arrival at its position, or leaves it to a later page', () => {
  expect(seen(withArrival(listed, one(4)))).toEqual({ unreadCount: 8, items: ['5•', '4•', '3', '2•'] })
  expect(seen(withArrival(listed, one(1)))).toEqual({ unreadCount: 8, items: ['5•', '3', '2•'] })
  const all = { ...listed, nextCursor: null }
  expect(seen(withArrival(all, one(1)))).toEqual({ unreadCount: 8, items: ['5•', '3', '2•', '1•'] })
})

test('counts an arrival before the first list without inserting it', () => {
  expect(seen(withArrival({ ...emptyInbox, unreadCount: 0 }, one(6)))).toEqual({ unreadCount: 1, items: [] })
})

test('adds only new items of an overlapping page', () => {
  const next = withNextPage(listed, { notifications: [one(2), one(1, true)], nextCursor: null })
  expect(seen(next)).toEqual({ unreadCount: 7, items: ['5•', '3', '2•', '1'] })
})

test('a mark made elsewhere changes the count by the items it changed', () => {
  expect(seen(withReadAt(listed, (id) => id !== idOf(2), readAt))).toEqual({ unreadCount: 6, items: ['5', '3', '2•'] })
  expect(seen(withReadAt(listed, () => true, null))).toEqual({ unreadCount: 8, items: ['5•', '3•', '2•'] })
})

test('shows a pending mark until it is undone', () => {
  const marking = { ...listed, pending: [{ kind: 'one', id: idOf(5), read: true } as const] }
  expect(seen(marking)).toEqual({ unreadCount: 6, items: ['5', '3', '2•'] })
  expect(seen({ ...marking, pending: [] })).toEqual(seen(listed))
})

test('shows the last of two pending marks', () => {
  const first = { kind: 'one', id: idOf(5), read: true } as const
  expect(seen({ ...listed, pending: [first, { ...first, read: false }] })).toEqual(seen(listed))
})

test('does not count a pending mark twice when the stream reports it first', () => {
  const marking = { ...listed, pending: [{ kind: 'one', id: idOf(5), read: true } as const] }
  expect(seen(withReadAt(marking, (id) => id === idOf(5), readAt))).toEqual({ unreadCount: 6, items: ['5', '3', '2•'] })
})

test('marking all does not affect later arrivals', () => {
  const marking = { ...listed, pending: [{ kind: 'all', upTo: idOf(5) } as const] }
  expect(seen(marking)).toEqual({ unreadCount: 0, items: ['5', '3', '2'] })
  expect(seen(withArrival(marking, one(6)))).toEqual({ unreadCount: 1, items: ['6•', '5', '3', '2'] })
})
