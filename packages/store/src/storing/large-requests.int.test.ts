import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { mention } from '../retractions/fan-outs.fixture.ts'
import { createInterceptor } from '../retractions/intercepted.fixture.ts'
import { createTestStore, uuid } from '../store.fixture.ts'
import { createWriters } from '../writers.ts'

const { store, collections, drop } = createTestStore('large-requests')
beforeAll(() => store.migrate())
afterAll(drop)

const recipientIds = Array.from({ length: 50 }, (_, n) => uuid(100 + n))
const metadata = JSON.stringify({ add: { text: 'x'.repeat(15_000) } })

test.each([
  ['an event are stored as a whole', 1, undefined, 1],
  ['a request are stored in small parts', 2, new Date(), 3],
])('750 KB of %s', async (_name, n, finishBy, expected) => {
  let inserts = 0
  const { wrap } = createInterceptor(async (_, when, name) => {
    if (when === 'before' && name === 'insertMany') inserts++
  })
  const writers = createWriters(wrap(collections, ['notifications']))
  const outcome = await writers.insertNew([{ ...mention(n, { recipientIds }), metadata, finishBy }])
  expect([outcome.inserted, inserts]).toEqual([50, expected])
})
