import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Binary, type Collection, MongoClient } from 'mongodb'
import { insertNew } from './insert-new.ts'
import { StorageUnavailableError } from './storage-errors.ts'

type Thing = { _id: number; content?: unknown }

const client = new MongoClient(process.env.MONGODB_URI ?? '', {
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5_000 },
})
const database = client.db(`herald-test-insert-new-${process.pid}`)
const things: Collection<Thing> = database.collection('things')

const nested = (levels: number) => JSON.parse('{"a":'.repeat(levels) + 1 + '}'.repeat(levels))
const numbered = (count: number): Thing[] => Array.from({ length: count }, (_, _id) => ({ _id, content: 'new' }))

beforeAll(async () => {
  await database.createCollection('validated', { validator: { content: { $ne: 'forbidden' } } })
})
beforeEach(async () => {
  await things.deleteMany({})
})
afterAll(async () => {
  await database.dropDatabase()
  await client.close()
})

test('inserts new documents in several batches', async () => {
  expect(await insertNew(things, numbered(2_500))).toEqual({ inserted: 2_500, duplicates: 0, refused: [] })
  expect(await things.countDocuments()).toBe(2_500)
})

test('leaves existing documents unchanged', async () => {
  await things.insertOne({ _id: 3, content: 'first' })
  expect(await insertNew(things, numbered(5))).toEqual({ inserted: 4, duplicates: 1, refused: [] })
  expect(await things.findOne({ _id: 3 })).toEqual({ _id: 3, content: 'first' })
})

test('counts documents that all exist as duplicates', async () => {
  await insertNew(things, numbered(1_500))
  expect(await insertNew(things, numbered(1_500))).toEqual({ inserted: 0, duplicates: 1_500, refused: [] })
})

test.each([
  ['nested too deeply for the server', nested(190)],
  ['nested too deeply for the client', nested(20_000)],
  ['larger than 16 MiB', 'x'.repeat(17 * 1024 * 1024)],
  ['with a key that BSON cannot represent', { 'a\0b': 1 }],
  ['pretending to be a BSON type', { _bsontype: 'Nonsense' }],
])('a document %s is refused; the others of its batch are stored', async (_, content) => {
  const batch = numbered(200)
  const poison = { _id: 77, content }
  batch[77] = poison
  const { inserted, duplicates, refused } = await insertNew(things, batch)
  expect({ inserted, duplicates }).toEqual({ inserted: 199, duplicates: 0 })
  expect(refused).toEqual([{ document: poison, reason: expect.any(String) }])
  expect(await things.countDocuments()).toBe(199)
})

test('refuses only the document that fails validation, and counts duplicates', async () => {
  const validated: Collection<Thing> = database.collection('validated')
  await validated.insertOne({ _id: 0 })
  const outcome = await insertNew(validated, [{ _id: 0 }, { _id: 1, content: 'forbidden' }, { _id: 2 }])
  expect(outcome).toMatchObject({ inserted: 1, duplicates: 1, refused: [{ document: { _id: 1 } }] })
})

test('throws when no majority acknowledges the write', async () => {
  const unconfirmed = database.collection<Thing>('things', { writeConcern: { w: 7, wtimeoutMS: 50 } })
  await expect(insertNew(unconfirmed, numbered(3))).rejects.toThrow(StorageUnavailableError)
  // Also when every document exists already: duplicates prove nothing about durability.
  await expect(insertNew(unconfirmed, numbered(3))).rejects.toThrow(StorageUnavailableError)
})

test('an unavailable server is not a refusal', async () => {
  const away = new MongoClient('mongodb://127.0.0.1:1/', { serverSelectionTimeoutMS: 200 })
  await expect(insertNew(away.db('x').collection<Thing>('things'), numbered(3))).rejects.toThrow(
    StorageUnavailableError,
  )
  await away.close()
})

test('an internal error of the driver is not a refusal', async () => {
  const broken = { insertMany: () => Promise.reject(new TypeError('Cannot read properties of undefined')) }
  await expect(insertNew(broken as unknown as Collection<Thing>, numbered(100))).rejects.toThrow(
    StorageUnavailableError,
  )
})

test('compares binary keys by their bytes', async () => {
  const keyed = database.collection<{ _id: Binary }>('keyed')
  const document = () => ({ _id: new Binary(Buffer.from('0123456789abcdef')) })
  await insertNew(keyed, [document()])
  expect(await insertNew(keyed, [document()])).toMatchObject({ inserted: 0, duplicates: 1 })
})
