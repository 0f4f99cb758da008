import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { expectNow } from '../support/clock.ts'
import { createBody } from '../support/create-body.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { createFor, listIds } from '../support/notifications.ts'
import { type Notification, timeForm } from '../support/spec-shapes.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald

beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

const one = (json: unknown) => (json as { data: Notification }).data
const idsOf = (user: User, status: string) => listIds(user, `?status=${status}`)

/** A notification for a new user and a colleague, as the user sees it. */
async function notify() {
  const user = await herald.newUser()
  const colleague = await herald.newUser({ subscriberId: user.subscriberId })
  const { id } = one((await user.post('/', createBody([user.id, colleague.id]))).json)
  return { user, colleague, id, unread: one((await user.get(`/notifications/${id}`)).json) }
}

/** Marks as unread and as read until `readAt` is later: its form has whole seconds, by the clock of the service. */
const markUntilLater = (user: User, id: string, than: string | null) =>
  eventually(
    async () => {
      await user.patch(`/notifications/${id}/unread`)
      const { readAt } = one((await user.patch(`/notifications/${id}/read`)).json)
      return Date.parse(readAt ?? '') > Date.parse(than ?? '')
    },
    { description: `a readAt later than ${than}` },
  )

test('marking as read sets readAt to the current time and changes nothing else', async () => {
  const { user, id, unread } = await notify()
  const answer = await user.patch(`/notifications/${id}/read`)
  expect(answer.status).toBe(200)
  expect(answer.json).toStrictEqual({ data: { ...unread, readAt: expect.stringMatching(timeForm) } })
  expectNow(one(answer.json).readAt)
  expect((await user.get(`/notifications/${id}`)).json).toStrictEqual(answer.json)
  expect((await user.get('/')).json).toStrictEqual({ data: { notifications: [one(answer.json)], nextCursor: null } })
})

test('marking as read again keeps the first readAt', async () => {
  const { user, id } = await notify()
  const first = one((await user.patch(`/notifications/${id}/read`)).json)
  await markUntilLater(user, await createFor(user), first.readAt)
  const again = await user.patch(`/notifications/${id}/read`)
  expect(again.status).toBe(200)
  expect(one(again.json)).toStrictEqual(first)
})

test('marking as unread restores the original notification with readAt null', async () => {
  const { user, id, unread } = await notify()
  await user.patch(`/notifications/${id}/read`)
  const answer = await user.patch(`/notifications/${id}/unread`)
  expect(answer.status).toBe(200)
  expect(answer.json).toStrictEqual({ data: unread })
  expect((await user.get(`/notifications/${id}`)).json).toStrictEqual({ data: unread })
})

test('marking an unread notification as unread returns 200 and changes nothing', async () => {
  const { user, id, unread } = await notify()
  const answer = await user.patch(`/notifications/${id}/unread`)
  expect(answer.status).toBe(200)
  expect(answer.json).toStrictEqual({ data: unread })
})

test('marking as read after unread sets a new readAt', async () => {
  const { user, id } = await notify()
  const first = one((await user.patch(`/notifications/${id}/read`)).json)
  await markUntilLater(user, id, first.readAt)
})

test('a mark of one recipient changes nothing for another', async () => {
  const { user, colleague, id, unread } = await notify()
  await user.patch(`/notifications/${id}/read`)
  expect((await colleague.get(`/notifications/${id}`)).json).toStrictEqual({ data: unread })
  const readByColleague = await colleague.patch(`/notifications/${id}/read`)
  await user.patch(`/notifications/${id}/unread`)
  expect((await colleague.get(`/notifications/${id}`)).json).toStrictEqual(readByColleague.json)
})

test('filters the list by status unread, read and all', async () => {
  const user = await herald.newUser()
  const ids: string[] = []
  for (let count = 0; count < 4; count++) {
    ids.unshift(await createFor(user))
  }
  const [fourth, third, second, first] = ids
  await user.patch(`/notifications/${third}/read`)
  await user.patch(`/notifications/${first}/read`)

  expect(await idsOf(user, 'unread')).toEqual([fourth, second])
  expect(await idsOf(user, 'read')).toEqual([third, first])
  expect(await idsOf(user, 'all')).toEqual(ids)
  await user.patch(`/notifications/${third}/unread`)
  expect(await idsOf(user, 'unread')).toEqual([fourth, third, second])
  expect(await idsOf(user, 'read')).toEqual([first])
})

test('accepts a PATCH with an empty body and a JSON content type', async () => {
  const { user, id } = await notify()
  const answer = await user.send(`/notifications/${id}/read`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
  })
  expect(answer.status).toBe(200)
})
