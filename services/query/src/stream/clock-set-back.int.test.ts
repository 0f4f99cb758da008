import { randomUUID } from 'node:crypto'
import { type StartedReplicaSet, startReplicaSet } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Binary, type MongoClient, Timestamp } from 'mongodb'
import { notificationAt } from '../query.fixture.ts'
import { createStreamTest, openStream, type StreamTest } from './stream.fixture.ts'

const twoHours = 2 * 60 * 60
let replicaSet: StartedReplicaSet
let world: StreamTest

beforeAll(async () => {
  replicaSet = await startReplicaSet()
  world = await createStreamTest('clock', replicaSet.uri)
  await advanceClusterTime(world.client)
}, 120_000)
afterAll(async () => {
  await world?.end()
  await replicaSet?.stop()
})

/** As after the clock of the primary was two hours ahead for a while: cluster time never goes back. */
async function advanceClusterTime(client: MongoClient): Promise<void> {
  const { $clusterTime: given } = await client.db('admin').command({ ping: 1 })
  const clusterTime = new Timestamp({ t: given.clusterTime.getHighBitsUnsigned() + twoHours, i: 1 })
  const signature: { hash: Binary; keyId: unknown } = given.signature
  await client.withSession(async (session) => {
    session.advanceClusterTime({ clusterTime, signature } as never)
    await client.db('admin').command({ ping: 1 }, { session })
  })
}

test('a stream that resumes from before an erasure is reset, although the clock of MongoDB was set back', async () => {
  const query = await world.start({ heartbeatMs: 100 })
  const subscriberId = randomUUID()
  const [person, reader] = [randomUUID(), randomUUID()].map((id) => ({ id, subscriberId })) as [Owner, Owner]
  const token = await world.token(reader)
  const first = await openStream(query.url, token)
  await first.until('heartbeat')
  const before = first.lastEventId()
  await first.close()
  const actor = { id: person.id, name: 'Erased Person', image: '' }
  await world.store.notifications.insertNew([notificationAt(Date.now(), reader, { actor })])
  const erasure = { subscriberId, eventId: randomUUID(), time: new Date(), personId: person.id }
  await world.store.erasures.accept([erasure])
  while ((await world.store.erasures.step(erasure))?.done === false);
  const resumed = await openStream(query.url, token, before)
  await resumed.until('unread-count')
  expect(resumed.events[0]).toMatchObject({ event: 'reset', data: '{"reason":"erased"}' })
  expect(JSON.stringify(resumed.events)).not.toContain('Erased Person')
  await world.store.notifications.insertNew([notificationAt(Date.now(), reader)])
  await resumed.until('notification')
  await resumed.close()
  // One from behind it goes on, however far cluster time is ahead of all clocks.
  const next = await openStream(query.url, token, resumed.lastEventId())
  await next.until('heartbeat')
  expect(next.named('reset')).toEqual([])
  await next.close()
})

type Owner = { readonly id: string; readonly subscriberId: string }
