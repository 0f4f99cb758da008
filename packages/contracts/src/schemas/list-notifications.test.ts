import { expect, test } from '@jest/globals'
import { listNotificationsQuerySchema } from './list-notifications.ts'

test('applies defaults to an empty query', () => {
  expect(listNotificationsQuerySchema.parse({})).toEqual({ limit: 20, status: 'all', archived: 'false' })
})

test.each([{ limit: '0' }, { limit: '101' }, { limit: '1.5' }, { limit: ' 5' }, { limit: ['5', '6'] }])(
  'rejects %j',
  (query) => {
    expect(listNotificationsQuerySchema.safeParse(query).success).toBe(false)
  },
)

test.each([{ cursor: 'x' }, { status: 'seen' }, { page: '2' }, { createdFrom: '2026' }])('rejects %j', (query) => {
  expect(listNotificationsQuerySchema.safeParse(query).success).toBe(false)
})
