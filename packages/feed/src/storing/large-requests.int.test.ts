import { StorageUnavailableError } from '@herald/mongo'
import { createInterceptor, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { mention } from '../retractions/fan-outs.fixture.ts'
import { createEmptyFeed, createWriters } from '../test-feed.fixture.ts'

const { store, collections, migrate, close } = createEmptyFeed()
beforeAll(migrate)
afterAll(close)

const recipientIds = Array.from({ length: 50 }, (_, n) => uuid(100 + n))
const metadata = JSON.stringify({ add: { text: 'x'.repeat(15_000) } })

test.each([
  ['an event are stored as a whole', 1, undefined, 1],
  ['a request are stored in small parts', 2, new Date(), 3],
])('750 KB of %s', async (_name, n, finishBy, expected) => {
  let inserts = 0
  const { wrap } = createInterceptor(async (_, when, name) => {
    if (when === 'before' && name === 'insert') inserts++
  })
  const writers = createWriters(wrap(collections, ['notifications']))
  const outcome = await writers.insertNew([{ ...mention(n, { recipientIds }), metadata, finishBy }])
  expect([outcome.inserted, inserts]).toEqual([50, expected])
})

test('interrupted requests are finished under a lease that is renewed before each, and left when it is lost', async () => {
  const finishBy = new Date(0)
  const { wrap } = createInterceptor(async (_, when, name) => {
    if (when === 'before' && name === 'insert') throw new Error('Killed')
  })
  const killed = createWriters(wrap(collections, ['notifications']))
  const requests = [3, 4, 5].map((n) => ({ ...mention(n), finishBy }))
  for (const request of requests) await expect(killed.insertNew([request])).rejects.toThrow(StorageUnavailableError)
  const held = [true, true, false]
  const finish = () => store.unfinished.finish(new Date(), async () => held.shift() ?? true)
  expect([(await finish()).finished, held]).toEqual([2, []])
  expect([(await finish()).finished, (await finish()).finished]).toEqual([1, 0])
})
