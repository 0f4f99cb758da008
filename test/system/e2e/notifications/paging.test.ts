import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { derivedId } from '../support/derived-id.ts'
import { mention, structured, timesUntilNow } from '../support/events.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { type Notification, type Page, uuidForm } from '../support/spec-shapes.ts'
import { deleteNotification } from '../support/stored.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald

beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

const idsOf = (notifications: readonly Notification[]) => notifications.map(({ id }) => id)

async function page(user: User, query: string): Promise<Page> {
  const answer = await user.get(`/?${query}`)
  expect(answer.status).toBe(200)
  const { data } = answer.json as { data: Page }
  expect(data).toStrictEqual({ notifications: expect.any(Array), nextCursor: data.nextCursor })
  return data
}

async function pages(user: User, limit: number, between = async () => {}): Promise<Page[]> {
  const all = [await page(user, `limit=${limit}`)]
  for (let next = all[0]?.nextCursor; next; next = all.at(-1)?.nextCursor) {
    expect(next).toMatch(uuidForm)
    await between()
    all.push(await page(user, `limit=${limit}&cursor=${next}`))
    expect(all.length).toBeLessThan(100)
  }
  return all
}

/** Publishes a mention per time, waits until all are listed, and returns their ids, newest first. */
async function mentionAt(user: User, times: readonly string[]): Promise<string[]> {
  const events = times.map((time) => mention([user.id], { subscriberid: user.subscriberId, time }))
  await herald.publish(herald.topics.mention, events.map(structured))
  const ids = events.map(derivedId)
  await eventually(async () => {
    const { notifications } = await page(user, 'limit=100')
    return ids.every((id) => notifications.some((listed) => listed.id === id))
  })
  return ids.sort().reverse()
}

test('57 notifications are six pages of at most ten, each notification exactly once and newest first', async () => {
  const user = await herald.newUser()
  const ids = await mentionAt(user, timesUntilNow(57, 1_000))
  const all = await pages(user, 10)

  expect(all.map(({ notifications }) => notifications.length)).toEqual([10, 10, 10, 10, 10, 7])
  expect(all.flatMap(({ notifications }) => idsOf(notifications))).toEqual(ids)
  expect(all.map(({ nextCursor }) => nextCursor)).toEqual([...[9, 19, 29, 39, 49].map((index) => ids[index]), null])
  const times = all.flatMap(({ notifications }) => notifications.map(({ createdAt }) => createdAt))
  expect(times).toEqual([...times].sort().reverse())
})

test('notifications that arrive during paging neither repeat nor hide others', async () => {
  const user = await herald.newUser()
  const first = await mentionAt(user, timesUntilNow(57, 1_000))
  const arrived: string[] = []
  const all = await pages(user, 10, async () => {
    arrived.unshift(...(await mentionAt(user, timesUntilNow(2))))
  })
  expect(all.flatMap(({ notifications }) => idsOf(notifications))).toEqual(first)
  expect(arrived).toHaveLength(10)
  expect(idsOf((await page(user, 'limit=100')).notifications)).toEqual([...arrived, ...first])
})

test('pages of seven return 30 notifications of the same millisecond exactly once each', async () => {
  const user = await herald.newUser()
  const ids = await mentionAt(user, Array(30).fill(new Date().toISOString()))
  const all = await pages(user, 7)
  expect(all.flatMap(({ notifications }) => idsOf(notifications))).toEqual(ids)
})

test('a full last page has no cursor', async () => {
  const user = await herald.newUser()
  await mentionAt(user, timesUntilNow(20))
  const all = await pages(user, 10)
  expect(all.map(({ notifications }) => notifications.length)).toEqual([10, 10])
  expect(all.map(({ nextCursor }) => nextCursor)).toEqual([expect.stringMatching(uuidForm), null])
})

test('a page has 20 notifications by default', async () => {
  const user = await herald.newUser()
  const ids = await mentionAt(user, timesUntilNow(21))
  expect(await page(user, '')).toMatchObject({ notifications: { length: 20 }, nextCursor: ids[19] })
})

test('a cursor stays valid after its notification is deleted', async () => {
  const user = await herald.newUser()
  const ids = await mentionAt(user, timesUntilNow(15, 1_000))
  const { nextCursor } = await page(user, 'limit=10')
  expect(nextCursor).toBe(ids[9])
  await deleteNotification(herald.database, user, nextCursor ?? '')
  const rest = await page(user, `limit=10&cursor=${nextCursor}`)
  expect(idsOf(rest.notifications)).toEqual(ids.slice(10))
})

test('another user’s cursor gives no access to their notifications', async () => {
  const owner = await herald.newUser()
  const times = timesUntilNow(20, 1_000)
  await mentionAt(owner, times)
  const { nextCursor } = await page(owner, 'limit=10')
  const colleague = await herald.newUser({ subscriberId: owner.subscriberId })
  const [ownId] = await mentionAt(colleague, times.slice(0, 1))
  const elsewhere = await herald.newUser({ id: owner.id })

  expect(idsOf((await page(colleague, `cursor=${nextCursor}`)).notifications)).toEqual([ownId])
  expect(await page(elsewhere, `cursor=${nextCursor}`)).toStrictEqual({ notifications: [], nextCursor: null })
})

test('unread pages return only unread notifications, each exactly once', async () => {
  const user = await herald.newUser()
  const ids = await mentionAt(user, timesUntilNow(12, 1_000))
  for (const id of ids.filter((_, index) => index % 3 === 0)) await user.patch(`/notifications/${id}/read`)
  const first = await page(user, 'status=unread&limit=5')
  const second = await page(user, `status=unread&limit=5&cursor=${first.nextCursor}`)
  const unread = ids.filter((_, index) => index % 3 !== 0)
  expect(idsOf([...first.notifications, ...second.notifications])).toEqual(unread)
  expect(second.nextCursor).toBeNull()
})
