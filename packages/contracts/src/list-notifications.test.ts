import { expect, test } from '@jest/globals'
import { listNotificationsQuerySchema } from './list-notifications.ts'

test('an empty query is the first page of everything', () => {
  expect(listNotificationsQuerySchema.parse({})).toEqual({ limit: 20, status: 'all' })
})

test.each([{ limit: '0' }, { limit: '101' }, { limit: '1.5' }, { limit: ' 5' }, { limit: ['5', '6'] }])(
  '%j is refused',
  (query) => {
    expect(listNotificationsQuerySchema.safeParse(query).success).toBe(false)
  },
)

test.each([{ cursor: 'x' }, { status: 'seen' }, { page: '2' }, { createdFrom: '2026' }])('%j is refused', (query) => {
  expect(listNotificationsQuerySchema.safeParse(query).success).toBe(false)
})
