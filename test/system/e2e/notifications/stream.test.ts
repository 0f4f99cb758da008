import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openEventStream } from '../support/event-stream.ts'
import { binary, mention } from '../support/events.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { createFor, dataOf, newStrangers } from '../support/notifications.ts'
import type { Notification } from '../support/spec-shapes.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald

beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

const open = (user: User, lastEventId?: string) => openEventStream(herald.baseUrl, user.token, lastEventId)

const idsIn = (events: { data: unknown }[]) => events.map(({ data }) => (data as Notification).id)

test('streams new notifications, created by request and by event, and the unread count', async () => {
  const user = await herald.newUser()
  const stream = await open(user)
  expect(stream.response.status).toBe(200)
  expect(stream.response.headers.get('content-type')).toMatch(/^text\/event-stream(;|$)/)
  await stream.until('heartbeat')
  expect((await stream.until('unread-count'))[0]?.data).toStrictEqual({ unreadCount: 0, unseenCount: 0 })

  const id = await createFor(user)
  await herald.publish(herald.topics.mention, [binary(mention([user.id], { subscriberid: user.subscriberId }))])
  const [first, second] = idsIn(await stream.until('notification', 2))
  expect(first).toBe(id)
  const expected = dataOf<Notification>(await user.get(`/notifications/${second}`))
  expect(stream.named('notification')[1]?.data).toStrictEqual(expected)
  await eventually(
    () => JSON.stringify(stream.named('unread-count').at(-1)?.data) === '{"unreadCount":2,"unseenCount":2}',
  )
  await stream.close()
})

test('streams a mark, and a bulk mark as one event', async () => {
  const user = await herald.newUser()
  const ids = [await createFor(user), await createFor(user), await createFor(user)]
  const stream = await open(user)
  await stream.until('heartbeat')

  const marked = dataOf<Notification>(await user.patch(`/notifications/${ids[0]}/read`))
  const [single] = await stream.until('read-state')
  expect(single?.data).toStrictEqual({ ids: [ids[0]], readAt: marked.readAt })

  await user.post('/notifications/read', { all: true })
  const [, many] = await stream.until('read-state', 2)
  expect(many?.data).toStrictEqual({ ids: expect.any(Array), readAt: expect.any(String) })
  expect(many?.data).toMatchObject({ ids: expect.arrayContaining(ids.slice(1)) })

  await user.patch(`/notifications/${ids[1]}/unread`)
  expect((await stream.until('read-state', 3))[2]?.data).toStrictEqual({ ids: [ids[1]], readAt: null })
  await stream.close()
})

test('resets the stream for an unknown id or another user’s id', async () => {
  const [user, other] = [await herald.newUser(), await herald.newUser()]
  const theirs = await open(other)
  await theirs.until('heartbeat')
  for (const id of ['nonsense', theirs.lastId()]) {
    const stream = await open(user, id)
    expect((await stream.until('reset'))[0]?.data).toStrictEqual({ reason: 'unknown-id' })
    await stream.close()
  }
  await theirs.close()
})

test('streams no events of another user or subscriber', async () => {
  const owner = await herald.newUser()
  const strangers = await newStrangers(herald, owner)
  const streams = await Promise.all(strangers.map((stranger) => open(stranger)))
  for (const stream of streams) await stream.until('unread-count')
  const id = await createFor(owner)
  await owner.patch(`/notifications/${id}/read`)
  // Each stranger receives a later notification of their own, so nothing earlier can still be on its way.
  for (const [n, stranger] of strangers.entries()) {
    const own = await createFor(stranger)
    expect(idsIn((await streams[n]?.until('notification')) ?? [])).toEqual([own])
    expect(streams[n]?.named('read-state')).toEqual([])
  }
  for (const stream of streams) await stream.close()
})
