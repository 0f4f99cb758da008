import { markedSchema, unreadCountSchema } from '@herald/contracts'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestQuery, notificationAt, type User } from '../query.fixture.ts'

const start = Date.parse('2026-03-01T00:00:00Z')
let query: Awaited<ReturnType<typeof createTestQuery>>

beforeAll(async () => {
  query = await createTestQuery('mark-many')
  await query.store.migrate()
})
afterAll(() => query?.stop())

/** Stores one notification per second for the user, and returns the ids, oldest first. */
async function fill(user: User, count: number): Promise<string[]> {
  const notifications = Array.from({ length: count }, (_, n) => notificationAt(start + n * 1_000, user))
  await query.store.notifications.insertNew(notifications)
  return notifications.map(({ id }) => id)
}

const unread = async (user: User) =>
  (await user.get('/?status=unread&limit=100')).json.data.notifications.map(({ id }: { id: string }) => id).reverse()

const count = async (user: User): Promise<number> => {
  const { status, json } = await user.get('/notifications/unread-count')
  expect(status).toBe(200)
  expect(unreadCountSchema.parse(json)).toStrictEqual(json)
  return json.data.unreadCount
}

async function mark(user: User, body: unknown) {
  const { status, json } = await user.post('/notifications/read', body)
  expect(status).toBe(200)
  expect(markedSchema.parse(json)).toStrictEqual(json)
  return json.data
}

test('counts the user’s unread notifications, and follows each mark', async () => {
  const anna = await query.newUser()
  const ben = await query.newUser({ subscriberId: anna.subscriberId })
  const [first] = await fill(anna, 3)
  await fill(ben, 5)
  expect(await count(anna)).toBe(3)
  await anna.patch(`/notifications/${first}/read`)
  expect(await count(anna)).toBe(2)
  await anna.patch(`/notifications/${first}/unread`)
  expect(await count(anna)).toBe(3)
  expect(await count(await query.newUser({ id: anna.id }))).toBe(0)
})

test('marks the given ids, each counted once, except read ones and those of other users', async () => {
  const user = await query.newUser()
  const other = await query.newUser({ subscriberId: user.subscriberId })
  const [a = '', b = '', c, d] = await fill(user, 4)
  const [foreign = ''] = await fill(other, 1)
  await user.patch(`/notifications/${a}/read`)
  const ids = [a, b, b.toUpperCase(), foreign, '01a2ce8b-d3ff-75b6-98c3-ba2dbf301c87']
  expect(await mark(user, { ids })).toEqual({ updated: 1, unreadCount: 2, unseenCount: 2 })
  expect([await unread(user), await unread(other)]).toEqual([[c, d], [foreign]])
})

test('marks every unread notification exactly once', async () => {
  const user = await query.newUser()
  await fill(user, 5)
  expect(await mark(user, { all: true })).toEqual({ updated: 5, unreadCount: 0, unseenCount: 0 })
  expect(await mark(user, { all: true })).toEqual({ updated: 0, unreadCount: 0, unseenCount: 0 })
})

test('marks up to the given notification inclusive', async () => {
  const user = await query.newUser()
  const ids = await fill(user, 5)
  expect(await mark(user, { all: true, upTo: ids[2] })).toEqual({ updated: 3, unreadCount: 2, unseenCount: 2 })
  expect(await unread(user)).toEqual(ids.slice(3))
})

test('sets the same readAt for all, and each can be marked unread again', async () => {
  const user = await query.newUser()
  const ids = await fill(user, 3)
  await mark(user, { all: true })
  const { notifications } = (await user.get('/?status=read')).json.data
  expect(new Set(notifications.map(({ readAt }: { readAt: string }) => readAt)).size).toBe(1)
  expect((await user.patch(`/notifications/${ids[0]}/unread`)).json.data.readAt).toBeNull()
  expect(await count(user)).toBe(1)
})

test.each([
  [{}, ['']],
  [{ ids: [], all: true }, ['/ids', '']],
  [{ ids: [] }, ['/ids']],
  [{ ids: ['x'] }, ['/ids/0']],
  [{ ids: Array(101).fill('01a2ce8b-d3ff-75b6-98c3-ba2dbf301c87') }, ['/ids']],
  [{ all: false }, ['/all']],
  [{ all: true, upTo: 'x' }, ['/upTo']],
  [{ ids: ['01a2ce8b-d3ff-75b6-98c3-ba2dbf301c87'], upTo: '01a2ce8b-d3ff-75b6-98c3-ba2dbf301c87' }, ['/upTo']],
  [{ all: true, userId: '01a2ce8b-d3ff-75b6-98c3-ba2dbf301c87' }, ['/userId']],
])('%j returns 400', async (body, pointers) => {
  const { status, json } = await (await query.newUser()).post('/notifications/read', body)
  expect([status, json.code]).toEqual([400, 'validation_failed'])
  expect(json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers)
})
