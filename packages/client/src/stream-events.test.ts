import { expect, test } from '@jest/globals'
import { decodeEvent } from './stream-events.ts'

const upTo = '0190a6e0-7c1b-7def-8abc-000000000001'
const time = '2026-01-31T09:30:00Z'

test('decodes what was retracted: by ids, or in bulk', () => {
  expect(decodeEvent('retracted', JSON.stringify({ ids: [upTo] }))).toEqual({
    event: { type: 'retracted', ids: [upTo] },
  })
  expect(decodeEvent('retracted', JSON.stringify({ all: true, upTo }))).toEqual({
    event: { type: 'bulk-retracted', upTo },
  })
})

test.each([
  ['read-state', { ids: [upTo], readAt: null }, { type: 'read-state', ids: [upTo], readAt: null }],
  ['read-state', { all: true, upTo, readAt: time }, { type: 'bulk-read-state', upTo, readAt: time }],
  ['archive-state', { ids: [upTo], archivedAt: time }, { type: 'archive-state', ids: [upTo], archivedAt: time }],
  [
    'archive-state',
    { all: true, upTo, status: 'read', archivedAt: null },
    { type: 'bulk-archive-state', upTo, status: 'read', archivedAt: null },
  ],
  ['seen', { seenUpTo: upTo }, { type: 'seen', seenUpTo: upTo }],
  ['unread-count', { unreadCount: 3, unseenCount: 1 }, { type: 'unread-count', unreadCount: 3, unseenCount: 1 }],
])('decodes %s with %j', (name, data, event) => {
  expect(decodeEvent(name, JSON.stringify(data))).toEqual({ event })
})

test('ignores events that it does not know', () => {
  expect(decodeEvent('news', '{}')).toBeUndefined()
})
