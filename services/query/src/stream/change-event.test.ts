import { expect, test } from '@jest/globals'
import { toStreamEvent } from './event-format.ts'

const readAt = new Date('2026-03-01T10:00:00.999Z')
const dataOf = (change: Parameters<typeof toStreamEvent>[0]) => {
  const { event, data } = toStreamEvent(change)
  return [event, JSON.parse(data)]
}

test('encodes a mark as read and as unread', () => {
  expect(dataOf({ kind: 'read-state', id: 'a', readAt })).toEqual([
    'read-state',
    { ids: ['a'], readAt: '2026-03-01T10:00:00Z' },
  ])
  expect(dataOf({ kind: 'read-state', id: 'a', readAt: null })).toEqual(['read-state', { ids: ['a'], readAt: null }])
})

test('encodes a retraction', () => {
  expect(dataOf({ kind: 'retracted', id: 'a' })).toEqual(['retracted', { ids: ['a'] }])
})
