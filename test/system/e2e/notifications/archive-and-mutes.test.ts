import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBody } from '../support/create-body.ts'
import { derivedId } from '../support/derived-id.ts'
import { openEventStream } from '../support/event-stream.ts'
import { mention, structured } from '../support/events.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { dataOf, listIds } from '../support/notifications.ts'
import type { CreatedNotification } from '../support/spec-shapes.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald
beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

type Counts = { unreadCount: number; unseenCount: number; seenUpTo: string | null }
const counts = async (user: User) => dataOf<Counts>(await user.get('/notifications/unread-count'))
const publish = async (user: User, ...data: Parameters<typeof mention>[2][]) => {
  // Before any request that follows, even if the machine's clock is set back in between.
  const attributes = { subscriberid: user.subscriberId, time: new Date(Date.now() - 1_000).toISOString() }
  const events = data.map((each) => mention([user.id], attributes, each))
  await herald.publish(herald.topics.mention, events.map(structured))
  const ids = events.map(derivedId)
  await eventually(async () => {
    const listed = await listIds(user, '?archived=any&limit=100')
    return ids.every((id) => listed.includes(id))
  })
  return ids
}
const place = { locationType: 'comment', locationId: '0190a6e0-7c1b-7def-8abc-0000000000aa' }

test('what is muted arrives as read, live and in the list, by both ways in, and nobody learns of it', async () => {
  const user = await herald.newUser()
  const stream = await openEventStream(herald.baseUrl, user.token)
  await stream.until('unread-count')
  const muted = await user.send(`/mutes/location/${place.locationId}`, { method: 'PUT', json: {} })
  expect([muted.status, muted.json]).toEqual([200, { data: { kind: 'location', id: place.locationId, until: null } }])
  const [byEvent = ''] = await publish(user, place)
  const created = await user.post('/', { ...createBody([user.id]), ...place })
  const { id: byRequest, recipients } = dataOf<CreatedNotification>(created)
  expect(recipients).toMatchObject([{ recipientId: user.id, readAt: null }])
  const live = (await stream.until('notification', 2)).map(({ data }) => data as Record<string, unknown>)
  expect(live.map(({ id }) => id)).toEqual([byEvent, byRequest])
  for (const { readAt, mutedAt } of live) expect([readAt, mutedAt]).toEqual([expect.any(String), readAt])
  expect(await listIds(user)).toEqual([byRequest, byEvent])
  expect(await counts(user)).toEqual({ unreadCount: 0, unseenCount: 0, seenUpTo: null })

  expect((await user.send(`/mutes/location/${place.locationId}`, { method: 'DELETE' })).status).toBe(204)
  await publish(user, place)
  expect((await stream.until('notification', 3))[2]?.data).not.toHaveProperty('mutedAt')
  expect(await counts(user)).toMatchObject({ unreadCount: 1 })
  await stream.close()
})

test('a group is read and archived by one call each, which streams tell, and what arrived since is left alone', async () => {
  const user = await herald.newUser()
  const [first = '', second = ''] = await publish(user, place, place)
  const [other = ''] = await publish(user, {})
  const { groups } = dataOf<{ groups: { latest: { id: string }; count: number }[] }>(
    await user.get('/notifications/groups'),
  )
  expect(groups.map(({ latest, count }) => [latest.id, count])).toEqual([
    [other, 1],
    [[first, second].toSorted().at(-1), 2],
  ])
  const stream = await openEventStream(herald.baseUrl, user.token)
  await stream.until('unread-count')
  const group = { all: true, ...place, upTo: groups[1]?.latest.id }
  const [late = ''] = await publish(user, place)
  expect((await user.post('/notifications/read', group)).json).toEqual({
    data: { updated: 2, unreadCount: 2, unseenCount: 2 },
  })
  expect((await user.post('/notifications/archived', group)).json).toMatchObject({ data: { updated: 2 } })
  expect((await stream.until('archive-state'))[0]?.data).toEqual({
    ids: [first, second].toSorted(),
    archivedAt: expect.any(String),
  })
  expect((await stream.until('read-state')).map(({ data }) => data)).toMatchObject([
    { ids: [first, second].toSorted() },
  ])
  expect(await listIds(user)).toEqual([late, other])
  expect((await listIds(user, '?archived=true')).toSorted()).toEqual([first, second].toSorted())
  await stream.close()
})

test('what is seen is distinct from what is read, and live on every screen', async () => {
  const user = await herald.newUser()
  const ids = await publish(user, {}, {})
  const newest = ids.toSorted().at(-1)
  const stream = await openEventStream(herald.baseUrl, user.token)
  expect((await stream.until('unread-count'))[0]?.data).toEqual({ unreadCount: 2, unseenCount: 2 })
  expect((await user.send('/notifications/seen', { method: 'POST' })).json).toEqual({
    data: { unseenCount: 0, seenUpTo: newest },
  })
  expect((await stream.until('seen'))[0]?.data).toEqual({ seenUpTo: newest })
  await eventually(
    () => JSON.stringify(stream.named('unread-count').at(-1)?.data) === '{"unreadCount":2,"unseenCount":0}',
  )
  await stream.close()
})
