import { limits } from '@herald/contracts'
import { mention, retraction } from '@herald/feed/testing'
import { subscriberId, uuid } from '@herald/mongo/testing'
import { erasure } from '@herald/persons/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createEmptyStore } from '../test-store.fixture.ts'
import { planCollections } from './collection-plans.ts'

const { store, database, migrate, close } = createEmptyStore()
beforeAll(migrate)
afterAll(close)

const dayMs = 24 * 60 * 60 * 1_000
const days = 30

/** Seconds after `keptFrom` at which MongoDB deletes a tombstone. */
const keptMs = (collection: string) => {
  const { indexes = [] } = planCollections(days).find(({ name }) => name === collection) ?? {}
  return 1_000 * Number(indexes.find(({ name }) => name === 'retention')?.expireAfterSeconds)
}

const late = mention(5_000)
const location = { locationType: 'comment', locationId: uuid(92) }

describe.each([
  ['a retraction by location', 'tombstones', retraction(1, location, { seconds: 1_000 }), limits.retractionClockMs],
  ['a retraction by id', 'tombstones', retraction(2, { notificationId: late.id }, { seconds: 1_000 }), 0],
  ['an erasure', 'erasures', erasure(1, uuid(2), 1_000), 0],
] as const)('the tombstone of %s', (_, collection, given, clockMs) => {
  test('and its head outlive every event that it applies to by half a day at least', async () => {
    await database.collection(collection).deleteMany({})
    if ('target' in given) await store.retractions.apply([given])
    else await store.erasures.accept([given])
    const documents = await database.collection(collection).find().toArray()
    expect(documents).toHaveLength(2)
    for (const { until, keptFrom } of documents) {
      // Ingest skips an event once it is older than the retention period.
      const lastStoredAt = until.getTime() + clockMs + days * dayMs
      expect(keptFrom.getTime() + keptMs(collection) - lastStoredAt).toBeGreaterThanOrEqual(dayMs / 2)
    }
  })
})

test('without a retention period, tombstones and fan-outs stay for ever', () => {
  for (const { name, indexes } of planCollections(undefined)) {
    if (!['tombstones', 'erasures', 'fan-outs'].includes(name)) continue
    expect(indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined)).toEqual([])
  }
})

test('an older tombstone does not shorten how long the head of the subscriber is kept', async () => {
  await database.collection('erasures').deleteMany({})
  for (const seconds of [1_000, 10]) await store.erasures.accept([erasure(seconds, uuid(2), seconds)])
  const head = await database
    .collection('erasures')
    .findOne({ _id: Buffer.from(subscriberId.replaceAll('-', ''), 'hex') as never })
  expect(head?.keptFrom).toEqual(erasure(1, uuid(2), 1_000).time)
})
