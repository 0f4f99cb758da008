import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBody } from '../support/create-body.ts'
import { derivedId } from '../support/derived-id.ts'
import { openEventStream } from '../support/event-stream.ts'
import { change, type Event, erasure, mention, receipt, structured } from '../support/events.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { dataOf, listIds } from '../support/notifications.ts'
import { expectProblem } from '../support/problem.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald
beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

type Notification = Record<string, unknown> & { id: string; actorId: string; subjectId: string }
type Entry = { id: string; user: { id: string; name: string; email: string } }

const publish = (topic: string, ...events: Event[]) => herald.publish(topic, events.map(structured))
const listOf = async (user: User) =>
  dataOf<{ notifications: Notification[] }>(await user.get('/?limit=100')).notifications
const logOf = async (user: User) => dataOf<Entry[]>(await user.get('/change-entries/all'))
const unreadCount = async (user: User) =>
  dataOf<{ unreadCount: number }>(await user.get('/notifications/unread-count')).unreadCount

/** Waits until the expectations hold. */
const holds = (check: () => Promise<void>) =>
  eventually(async () => {
    await check()
    return true
  })

test('an erased person loses the feed and becomes a pseudonym, live, for ever and in any order', async () => {
  const ada = await herald.newUser()
  const attributes = { subscriberid: ada.subscriberId }
  const reader = await herald.newUser({ subscriberId: ada.subscriberId })
  const { mention: mentions, change: changes, privacy } = herald.topics
  const actor = { id: ada.id, name: 'Ada Lovelace', image: 'https://images.example/ada.png' }
  const metadata = { mention: { mentionerName: 'Ada Lovelace', snippet: 'By Ada', entityType: 'e' }, add: { a: 1 } }
  const [to, by, about] = [
    mention([ada.id], attributes),
    mention([reader.id], attributes, { actor, metadata }),
    mention([reader.id], attributes, { subjectId: ada.id }),
  ]
  const user = { id: ada.id, name: 'Ada Lovelace', email: 'ada@mail.example' }
  const entry = change(attributes, { user })
  await publish(mentions, to, by)
  await publish(changes, entry)
  const key = { 'idempotency-key': randomUUID() }
  const body = createBody([reader.id])
  expect((await ada.post('/', body, key)).status).toBe(201)
  await holds(async () => {
    expect([(await listOf(ada)).length, (await listOf(reader)).length, (await logOf(ada)).length]).toEqual([1, 2, 1])
  })
  const stream = await openEventStream(herald.baseUrl, ada.token)
  await stream.until('unread-count')

  const erased = erasure(attributes, ada.id)
  await publish(privacy, erased)
  const [told] = await stream.until('retracted')
  expect(told?.data).toStrictEqual({ all: true, upTo: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  await eventually(
    () => JSON.stringify(stream.named('unread-count').at(-1)?.data) === '{"unreadCount":0,"unseenCount":0}',
  )
  await stream.close()
  expect([await listOf(ada), await unreadCount(ada)]).toEqual([[], 0])
  expectProblem(await ada.get(`/notifications/${derivedId(to)}`), 404, 'not_found')

  const masked = async () => {
    const [created, fromKafka] = await listOf(reader)
    return [created, fromKafka].map((one) => one?.actor)
  }
  await holds(async () => expect(JSON.stringify(await masked())).not.toContain('Ada Lovelace'))
  await holds(async () => expect(JSON.stringify(await logOf(ada))).not.toContain('ada@mail.example'))
  const found = (await listOf(reader)).find(({ id }) => id === derivedId(by))
  const pseudonym = found?.actorId
  expect(pseudonym).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(found).toMatchObject({
    actor: { id: pseudonym, name: '', image: '' },
    metadata: { mention: { mentionerName: '', snippet: '', entityType: 'e' }, add: { a: 1 }, edit: {} },
    updatedAt: `${erased.time.slice(0, 19)}Z`,
  })
  expect((await logOf(ada))[0]?.user).toEqual({ id: pseudonym, name: '', email: '' })
  expectProblem(await ada.post('/', body, key), 409, 'request_erased')

  // Everything again, an event that was late, a receipt; then a new one, which is not concerned.
  const sent = receipt('herald.email.sent.v1', attributes, { notificationId: derivedId(to), recipientId: ada.id })
  const late = { ...mention([ada.id, reader.id], attributes), time: to.time }
  const fresh = mention([ada.id, reader.id], attributes, { actor, metadata })
  await publish(privacy, erased)
  await publish(herald.topics.receipt, sent)
  await publish(changes, entry)
  await publish(mentions, to, by, { ...about, time: to.time }, late, fresh)
  await holds(async () => expect(await listIds(ada)).toEqual([derivedId(fresh)]))
  const everything = await listOf(reader)
  expect(everything).toHaveLength(5)
  expect(everything[0]).toMatchObject({ id: derivedId(fresh), actor })
  expect(everything.find(({ id }) => id === derivedId({ ...about, time: to.time }))?.subjectId).toBe(pseudonym)
  expect(everything.find(({ id }) => id === derivedId(by))).toEqual(found)
  expect(await logOf(ada)).toHaveLength(1)
})

test('a position from before an erasure answers reset, and one from after it resumes', async () => {
  const ada = await herald.newUser()
  const attributes = { subscriberid: ada.subscriberId }
  const reader = await herald.newUser({ subscriberId: ada.subscriberId })
  const before = await openEventStream(herald.baseUrl, reader.token)
  const [heartbeat] = await before.until('heartbeat')
  await before.close()
  const actor = { id: ada.id, name: 'Ada Lovelace', image: '' }
  await publish(herald.topics.mention, mention([reader.id], attributes, { actor }))
  await eventually(async () => (await listOf(reader)).length === 1)
  await publish(herald.topics.privacy, erasure(attributes, ada.id))
  await holds(async () => {
    expect(JSON.stringify(await listOf(reader))).not.toContain('Ada Lovelace')
  })
  const stale = await openEventStream(herald.baseUrl, reader.token, heartbeat?.id)
  expect((await stale.until('reset'))[0]?.data).toStrictEqual({ reason: 'erased' })
  expect(stale.named('notification')).toEqual([])
  await stale.close()
  // Positions have seconds: a later one is not before the erasure.
  await holds(async () => {
    const stream = await openEventStream(herald.baseUrl, reader.token)
    const [position] = await stream.until('heartbeat')
    await stream.close()
    const resumed = await openEventStream(herald.baseUrl, reader.token, position?.id)
    await resumed.until('unread-count')
    await resumed.close()
    expect(resumed.named('reset')).toEqual([])
  })
})
