import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { derivedId } from '../support/derived-id.ts'
import { mention, structured } from '../support/events.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { createFor, listIds } from '../support/notifications.ts'
import { expectValidationIssues } from '../support/problem.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald

beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

const unreadCount = async (user: User) => (await user.get('/notifications/unread-count')).json
const counted = (count: number) => ({ data: { unreadCount: count, unseenCount: count, seenUpTo: null } })

async function create(user: User, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    ids.push(await createFor(user))
  }
  return ids
}
const unreadIds = (user: User) => listIds(user, '?status=unread&limit=100')

test('the unread count is exact after every mark', async () => {
  const user = await herald.newUser()
  expect(await unreadCount(user)).toStrictEqual(counted(0))
  const [first] = await create(user, 3)
  expect(await unreadCount(user)).toStrictEqual(counted(3))
  await user.patch(`/notifications/${first}/read`)
  await user.patch(`/notifications/${first}/read`)
  expect(await unreadCount(user)).toStrictEqual(counted(2))
  await user.patch(`/notifications/${first}/unread`)
  expect(await unreadCount(user)).toStrictEqual(counted(3))
})

test('marks notifications by id, ignores unknown ids and returns the new unread count', async () => {
  const user = await herald.newUser()
  const [first = '', second = '', third = ''] = await create(user, 3)
  const answer = await user.post('/notifications/read', { ids: [first, third.toUpperCase(), randomUUID(), first] })
  expect([answer.status, answer.json]).toEqual([200, { data: { updated: 2, unreadCount: 1, unseenCount: 1 } }])
  expect(await unreadIds(user)).toEqual([second])
  const again = await user.post('/notifications/read', { ids: [first, third] })
  expect(again.json).toStrictEqual({ data: { updated: 0, unreadCount: 1, unseenCount: 1 } })
})

test('marks all up to a notification, and then all', async () => {
  const user = await herald.newUser()
  const [first, second, third] = await create(user, 3)
  const upTo = await user.post('/notifications/read', { all: true, upTo: second })
  expect(upTo.json).toStrictEqual({ data: { updated: 2, unreadCount: 1, unseenCount: 1 } })
  expect(await unreadIds(user)).toEqual([third])
  await user.patch(`/notifications/${first}/unread`)
  const all = await user.post('/notifications/read', { all: true })
  expect(all.json).toStrictEqual({ data: { updated: 2, unreadCount: 0, unseenCount: 0 } })
})

test('a notification that arrives after marking all stays unread, even with an earlier time', async () => {
  const user = await herald.newUser()
  await create(user, 2)
  expect((await user.post('/notifications/read', { all: true })).json).toMatchObject({ data: { updated: 2 } })
  const time = new Date(Date.now() - 3_600_000).toISOString()
  const late = mention([user.id], { subscriberid: user.subscriberId, time })
  await herald.publish(herald.topics.mention, [structured(late)])
  await eventually(async () => (await unreadIds(user)).length === 1)
  expect(await unreadIds(user)).toEqual([derivedId(late)])
})

test.each([
  [{}, ['']],
  [{ ids: [] }, ['/ids']],
  [{ ids: ['x'] }, ['/ids/0']],
  [{ ids: Array.from({ length: 101 }, () => randomUUID()) }, ['/ids']],
  [{ all: false }, ['/all']],
  [{ all: true, upTo: 'x' }, ['/upTo']],
  [{ all: true, more: 1 }, ['/more']],
])('POST /notifications/read rejects %j', async (body, pointers) => {
  const user = await herald.newUser()
  expectValidationIssues(await user.post('/notifications/read', body), pointers)
})
