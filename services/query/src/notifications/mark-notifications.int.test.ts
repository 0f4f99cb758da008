import { notificationSchema } from '@herald/contracts'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createTestQuery, notificationAt, type User } from '../query.fixture.ts'

let query: Awaited<ReturnType<typeof createTestQuery>>

beforeAll(async () => {
  query = await createTestQuery('marks')
  await query.store.migrate()
})
afterAll(() => query?.stop())

async function notify(...users: readonly [User, ...User[]]): Promise<string> {
  const notification = notificationAt('2026-03-01T09:30:00.987Z', users[0], { recipientIds: users.map(({ id }) => id) })
  await query.store.notifications.insertNew([notification])
  return notification.id
}

const dataOf = ({ status, json }: Awaited<ReturnType<User['get']>>) => {
  expect(status).toBe(200)
  return json.data
}

/** Expects a serialized time of now, roughly: it is by the clock of MongoDB, which a busy process reads late. */
const expectNow = (text: string) => {
  expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  expect(Math.abs(Date.now() - Date.parse(text))).toBeLessThan(60_000)
}

test('returns a notification with the fields of specification 2.2 and of the contract’s schema', async () => {
  const user = await query.newUser()
  const id = await notify(user)
  const data = dataOf(await user.get(`/notifications/${id}`))
  expect(data).toMatchObject({ id, createdAt: '2026-03-01T09:30:00Z', updatedAt: '2026-03-01T09:30:00Z' })
  expect(data).toMatchObject({ subscriberId: user.subscriberId, readAt: null, emailSentAt: null })
  expect(data).not.toHaveProperty('recipients')
  expect(notificationSchema.parse(data)).toStrictEqual(data)
})

test('accepts an id in upper case', async () => {
  const user = await query.newUser()
  const id = await notify(user)
  expect(dataOf(await user.get(`/notifications/${id.toUpperCase()}`)).id).toBe(id)
  expect(dataOf(await user.patch(`/notifications/${id.toUpperCase()}/read`)).id).toBe(id)
})

describe('marking as read', () => {
  test('sets readAt to now, and changes nothing else', async () => {
    const user = await query.newUser()
    const id = await notify(user)
    const before = dataOf(await user.get(`/notifications/${id}`))
    const { readAt, ...others } = dataOf(await user.patch(`/notifications/${id}/read`))
    expectNow(readAt)
    expect({ ...others, readAt: null }).toStrictEqual(before)
  })

  test('again keeps the first time', async () => {
    const user = await query.newUser()
    const id = await notify(user)
    const first = dataOf(await user.patch(`/notifications/${id}/read`))
    const witness = await notify(user)
    await eventually(async () => {
      await user.patch(`/notifications/${witness}/unread`)
      return dataOf(await user.patch(`/notifications/${witness}/read`)).readAt > first.readAt
    })
    expect(dataOf(await user.patch(`/notifications/${id}/read`))).toStrictEqual(first)
  })
})

describe('marking as unread', () => {
  test('removes readAt, and changes nothing else', async () => {
    const user = await query.newUser()
    const id = await notify(user)
    const before = dataOf(await user.get(`/notifications/${id}`))
    await user.patch(`/notifications/${id}/read`)
    expect(dataOf(await user.patch(`/notifications/${id}/unread`))).toStrictEqual(before)
  })

  test('returns 200 for an unread notification, without changes', async () => {
    const user = await query.newUser()
    const id = await notify(user)
    const before = dataOf(await user.get(`/notifications/${id}`))
    expect(dataOf(await user.patch(`/notifications/${id}/unread`))).toStrictEqual(before)
  })
})

test('a mark is visible in the next response, in the notification, in the list and by status', async () => {
  const user = await query.newUser()
  const id = await notify(user)
  for (let round = 0; round < 5; round++) {
    for (const [mark, other] of [
      ['read', 'unread'],
      ['unread', 'read'],
    ]) {
      const marked = dataOf(await user.patch(`/notifications/${id}/${mark}`))
      expect(dataOf(await user.get(`/notifications/${id}`))).toStrictEqual(marked)
      expect(dataOf(await user.get('/')).notifications).toStrictEqual([marked])
      expect(dataOf(await user.get(`/?status=${mark}`)).notifications).toStrictEqual([marked])
      expect(dataOf(await user.get(`/?status=${other}`)).notifications).toEqual([])
    }
  }
})

test('ten concurrent marks leave one time', async () => {
  const user = await query.newUser()
  const id = await notify(user)
  const marks = await Promise.all(Array.from({ length: 10 }, () => user.patch(`/notifications/${id}/read`)))
  const { readAt } = dataOf(await user.get(`/notifications/${id}`))
  expect(new Set(marks.map((mark) => dataOf(mark).readAt))).toEqual(new Set([readAt]))
})

describe('another user', () => {
  const marks = ['read', 'unread', 'archived', 'unarchived']
  const answers = async (user: User, id: string) => {
    const asked = [await user.get(`/notifications/${id}`)]
    for (const mark of marks) asked.push(await user.patch(`/notifications/${id}/${mark}`))
    return asked.map(({ status, headers, json }) => {
      // The window is each user's own, and so is its end.
      const { date: _date, 'ratelimit-reset': _reset, 'x-request-id': requestId, ...comparable } = headers
      return { status, comparable, json: { ...json, instance: json.instance === requestId } }
    })
  }

  test('gets the same response as for a notification that does not exist', async () => {
    const owner = await query.newUser()
    const id = await notify(owner)
    const others = [
      await query.newUser(),
      await query.newUser({ subscriberId: owner.subscriberId }),
      await query.newUser({ id: owner.id }),
    ]
    const nothing = await answers(owner, '01a2ce8b-d3ff-75b6-98c3-ba2dbf301c87')
    expect(nothing.map(({ status, json }) => [status, json.code])).toEqual(Array(5).fill([404, 'not_found']))
    for (const other of others) {
      expect(await answers(other, id)).toStrictEqual(nothing)
      expect(dataOf(await other.get('/')).notifications).toEqual([])
    }
    expect(dataOf(await owner.get(`/notifications/${id}`)).readAt).toBeNull()
  })

  test('with the same notification has a separate read state', async () => {
    const anna = await query.newUser()
    const ben = await query.newUser({ subscriberId: anna.subscriberId })
    const id = await notify(anna, ben)
    await anna.patch(`/notifications/${id}/read`)
    expect(dataOf(await ben.get(`/notifications/${id}`)).readAt).toBeNull()
    expect(dataOf(await anna.get(`/notifications/${id}`)).readAt).not.toBeNull()
  })
})

test.each([
  'nope',
  '01a2ce8b-d3ff-75b6-98c3-ba2dbf301c8',
  '01a2ce8bd3ff75b698c3ba2dbf301c87',
  '%7B01a2ce8b-d3ff-75b6-98c3-ba2dbf301c87%7D',
])('returns 400 for the id %s', async (id) => {
  const user = await query.newUser()
  for (const answer of [await user.get(`/notifications/${id}`), await user.patch(`/notifications/${id}/unread`)]) {
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/notificationId' }] })
  }
})

test('rejects query parameters', async () => {
  const user = await query.newUser()
  const answer = await user.patch(`/notifications/${await notify(user)}/read?at=now`)
  expect(answer.json).toMatchObject({ status: 400, errors: [{ pointer: '/at' }] })
})
