import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Collection, type Document, Timestamp } from 'mongodb'
import { toKey, toUuidBinary } from '../keys/keys.ts'
import { heads as headsIndex } from '../migration/collection-plan.ts'
import { createIndex } from '../migration/migrate.ts'
import { createTestDatabase } from '../test-database.fixture.ts'
import { findRecentHeads, type HeadDocument } from './heads.ts'

const { database, migrate, close } = createTestDatabase()
const heads: Collection<HeadDocument> = database.collection(`heads-${randomUUID()}`)

const day = (number: number) => new Date(Date.UTC(2026, 0, number))
const subscribers = Array.from({ length: 1_500 }, () => randomUUID())
const [old, recent] = [subscribers.slice(0, 600), subscribers.slice(600)]
const head = (subscriberId: string, until: Date): HeadDocument => ({
  _id: toKey(subscriberId),
  v: 1,
  until,
  version: toUuidBinary(randomUUID()),
  changedAt: new Timestamp({ t: 1, i: 1 }),
  keptFrom: until,
})

beforeAll(async () => {
  await migrate()
  await createIndex(database, heads.collectionName, headsIndex)
  await heads.insertMany([...old.map((id) => head(id, day(1))), ...recent.map((id) => head(id, day(10)))])
})
afterAll(close)

const asked = [...old.slice(0, 3), ...recent.slice(0, 3), randomUUID()]

test.each([
  ['few subscribers have one', day(5)],
  ['more have one than are read at once', day(1)],
])('finds the heads of subscribers when %s that is recent', async (_, since) => {
  const found = await findRecentHeads(heads, new Set(asked), since)
  const expected = since.getTime() === day(1).getTime() ? asked.slice(0, 6) : asked.slice(3, 6)
  expect(asked.filter((id) => found.has(id))).toEqual(expected)
  for (const id of expected) {
    const stored = await heads.findOne({ _id: toKey(id) })
    expect(found.get(id)).toEqual({ until: stored?.until, version: stored?.version.toString('hex') })
  }
})

test('finds none without examining a document when nothing is recent', async () => {
  expect(await findRecentHeads(heads, new Set(subscribers), day(11))).toEqual(new Map())
  const { executionStats } = await heads
    .find({ until: { $gte: day(11) }, version: { $exists: true } } as Document, { hint: 'heads' })
    .explain('executionStats')
  expect(executionStats).toMatchObject({ totalDocsExamined: 0, totalKeysExamined: 0 })
})

test('ignores the documents that the heads summarize', async () => {
  await heads.insertOne({ _id: toKey(randomUUID(), randomUUID()), until: day(20) } as HeadDocument)
  expect(await findRecentHeads(heads, new Set(asked), day(15))).toEqual(new Map())
})
