import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBody } from '../support/create-body.ts'
import { derivedId } from '../support/derived-id.ts'
import { openEventStream } from '../support/event-stream.ts'
import { binary, type Event, mention, receipt, retraction, structured } from '../support/events.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { createFor, dataOf, listIds, newStrangers } from '../support/notifications.ts'
import { expectProblem } from '../support/problem.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald
beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

const unreadCount = async (user: User) =>
  dataOf<{ unreadCount: number }>(await user.get('/notifications/unread-count')).unreadCount
const publish = (...events: Event[]) => herald.publish(herald.topics.mention, events.map(structured))
const remove = (user: User, id: string) => user.send(`/notifications/${id}`, { method: 'DELETE' })

/** Waits until everything published before is handled: the topic is read in order within a subscriber. */
async function untilHandled(user: User): Promise<void> {
  const marker = { ...user, id: randomUUID() }
  const event = mention([marker.id], { subscriberid: user.subscriberId })
  await publish(event)
  const reader = await herald.newUser({ id: marker.id, subscriberId: user.subscriberId })
  await eventually(async () => (await listIds(reader)).length === 1)
}

test('a retracted mention disappears live, from some recipients or all, and stays away when everything is replayed', async () => {
  const [ada, bob] = [await herald.newUser(), await herald.newUser()]
  const attributes = { subscriberid: ada.subscriberId }
  const reader = await herald.newUser({ id: bob.id, subscriberId: ada.subscriberId })
  const [comment, other] = [mention([ada.id, reader.id], attributes), mention([ada.id, reader.id], attributes)]
  await publish(comment, other)
  await eventually(async () => (await listIds(reader)).length === 2)
  const stream = await openEventStream(herald.baseUrl, ada.token)
  await stream.until('unread-count')

  const edited = retraction(attributes, { notificationId: derivedId(comment), recipientIds: [ada.id] })
  await publish(edited)
  expect((await stream.until('retracted'))[0]?.data).toStrictEqual({ ids: [derivedId(comment)] })
  await eventually(
    () => JSON.stringify(stream.named('unread-count').at(-1)?.data) === '{"unreadCount":1,"unseenCount":1}',
  )
  await stream.close()
  expect(await listIds(ada)).toEqual([derivedId(other)])
  expectProblem(await ada.get(`/notifications/${derivedId(comment)}`), 404, 'not_found')
  expect([await unreadCount(ada), await unreadCount(reader)]).toEqual([1, 2])

  const { locationType, locationId } = other.data
  const deleted = retraction(attributes, { locationType, locationId })
  await herald.publish(herald.topics.mention, [binary(deleted)])
  await eventually(async () => (await unreadCount(reader)) === 1)
  const restored = mention([ada.id], attributes, { locationType, locationId })
  await publish(restored)
  await eventually(async () => (await listIds(ada)).length === 1)

  const everything = [comment, other, edited, deleted, restored]
  await publish(...everything, ...everything.toReversed(), ...everything)
  await untilHandled(ada)
  expect([await listIds(ada), await listIds(reader)]).toEqual([[derivedId(restored)], [derivedId(comment)]])
  // A cursor on a retracted notification stays valid.
  expect(await listIds(ada, `?cursor=${derivedId(other)}`)).toEqual([])
  expect((await ada.get(`/?cursor=${derivedId(comment)}`)).status).toBe(200)
})

test('a retraction ahead of its mention keeps it away, and receipts of it are not dead letters', async () => {
  const user = await herald.newUser()
  const attributes = { subscriberid: user.subscriberId }
  const event = mention([user.id], attributes)
  const ids = { notificationId: derivedId(event), recipientId: user.id }
  await publish(retraction(attributes, { notificationId: derivedId(event) }))
  await untilHandled(user)
  await publish(event)
  await herald.publish(herald.topics.receipt, [structured(receipt('herald.email.sent.v1', attributes, ids))])
  await untilHandled(user)
  expect([await listIds(user), await unreadCount(user)]).toEqual([[], 0])
})

test('DELETE retracts a notification of its actor, from `POST /` or Kafka, any number of times', async () => {
  const actor = await herald.newUser()
  const reader = await herald.newUser({ subscriberId: actor.subscriberId })
  const key = { 'idempotency-key': randomUUID() }
  const body = createBody([reader.id])
  const created = await actor.post('/', body, key)
  const { id } = dataOf<{ id: string }>(created)
  const event = mention(
    [reader.id],
    { subscriberid: actor.subscriberId },
    { actor: { id: actor.id, name: '', image: '' } },
  )
  await publish(event)
  await eventually(async () => (await listIds(reader)).length === 2)
  for (const one of [id, derivedId(event)]) {
    for (let times = 0; times < 2; times++) {
      const answer = await remove(actor, one)
      expect([answer.status, answer.text ?? '']).toEqual([204, ''])
    }
  }
  expect([await listIds(reader), await unreadCount(reader)]).toEqual([[], 0])
  expectProblem(await reader.get(`/notifications/${id}`), 404, 'not_found')
  // A retry of the creation gets the first response and creates nothing.
  const again = await actor.post('/', body, key)
  expect([again.status, again.json]).toEqual([201, created.json])
  await publish(event)
  await untilHandled(actor)
  expect(await listIds(reader)).toEqual([])
})

test('DELETE is 404 for everyone else and for unknown ids, and 403 without the scope', async () => {
  const owner = await herald.newUser()
  const id = await createFor(owner)
  const others = [...(await newStrangers(herald, owner)), await herald.newUser({ subscriberId: owner.subscriberId })]
  for (const other of others) expectProblem(await remove(other, id), 404, 'not_found')
  expectProblem(await remove(owner, randomUUID()), 404, 'not_found')
  expectProblem(await remove(owner, 'x'), 400, 'validation_failed')
  const scopeless = await herald.newUser({ id: owner.id, subscriberId: owner.subscriberId, scope: '' })
  expectProblem(await remove(scopeless, id), 403, 'missing_scope')
  expectProblem(await remove(scopeless, randomUUID()), 403, 'missing_scope')
  expect(await listIds(owner)).toEqual([id])
})
