import { randomUUID } from 'node:crypto'
import { databaseOfRun } from '@herald/test-servers'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Binary, type Document, MongoClient } from 'mongodb'
import { StorageUnavailableError } from '../connection/storage-errors.ts'
import { considerate, insertNew } from './insert-new.ts'
import { writeAll } from './write-each.ts'

type Thing = { _id: number; content?: unknown }

const client = new MongoClient(process.env.MONGODB_URI ?? '', {
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5_000 },
})
const database = client.db(databaseOfRun())
const named = <T extends object>(name: string) => database.collection<T>(`insert-new-${name}-${run}`)
const run = randomUUID()
const things = named<Thing>('things')
const validated = named<Thing>('validated')
const keyed = named<{ _id: Binary }>('keyed')

const nested = (levels: number) => JSON.parse('{"a":'.repeat(levels) + 1 + '}'.repeat(levels))
const numbered = (count: number): Thing[] => Array.from({ length: count }, (_, _id) => ({ _id, content: 'new' }))

beforeAll(async () => {
  await database.createCollection(validated.collectionName, { validator: { content: { $ne: 'forbidden' } } })
})
beforeEach(async () => {
  await things.deleteMany({})
})
afterAll(async () => {
  for (const one of [things, validated, keyed]) await one.drop()
  await client.close()
})

test('inserts new documents in several batches', async () => {
  expect(await insertNew(things, numbered(2_500))).toEqual({ inserted: 2_500, duplicates: 0, refused: [] })
  expect(await things.countDocuments()).toBe(2_500)
})

/** Notes the number of documents in each insert. */
const noting = (sent: unknown[]): typeof things =>
  withCommands((command) => {
    sent.push(command.documents.length)
    return database.command(command, { ignoreUndefined: true })
  })
const withCommands = (command: (given: Document) => Promise<Document>): typeof things =>
  Object.assign(Object.create(things), { db: { client, command } })

test('sends at most about 2 MiB at once, or one larger document', async () => {
  const sent: number[] = []
  const content = 'x'.repeat(600 * 1024)
  const documents: Thing[] = Array.from({ length: 7 }, (_, _id) => ({ _id, content }))
  documents.splice(3, 0, { _id: 7, content: content.repeat(5) })
  expect(await insertNew(noting(sent), documents)).toMatchObject({ inserted: 8 })
  expect(sent).toEqual([3, 1, 3, 1])
})

test('pauses between smaller inserts where others have to get a turn', async () => {
  const sent: unknown[] = []
  const content = 'x'.repeat(100 * 1024)
  const documents: Thing[] = Array.from({ length: 5 }, (_, _id) => ({ _id, content }))
  const pause = async (tookMs: number) => sent.push(tookMs > 0)
  expect(await insertNew(noting(sent), documents, { ...considerate, pause })).toMatchObject({ inserted: 5 })
  expect(sent).toEqual([2, true, 2, true, 1])
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
  await validated.insertOne({ _id: 0 })
  const outcome = await insertNew(validated, [{ _id: 0 }, { _id: 1, content: 'forbidden' }, { _id: 2 }])
  expect(outcome).toMatchObject({ inserted: 1, duplicates: 1, refused: [{ document: { _id: 1 } }] })
})

test('throws when no majority acknowledges the write', async () => {
  const unconfirmed = database.collection<Thing>(things.collectionName, { writeConcern: { w: 7, wtimeoutMS: 50 } })
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
  const broken = withCommands(() => Promise.reject(new TypeError('Cannot read properties of undefined')))
  await expect(insertNew(broken, numbered(100))).rejects.toThrow(StorageUnavailableError)
})

test('compares binary keys by their bytes', async () => {
  const document = () => ({ _id: new Binary(Buffer.from('0123456789abcdef')) })
  await insertNew(keyed, [document()])
  expect(await insertNew(keyed, [document()])).toMatchObject({ inserted: 0, duplicates: 1 })
})

test('a write that must not be refused throws if it is, and if another process inserted first', async () => {
  await writeAll(validated, [{ insertOne: { document: { _id: 1 } } }])
  const update = { updateOne: { filter: { _id: 1 }, update: { $set: { content: 'forbidden' } } } }
  await expect(writeAll(validated, [update])).rejects.toThrow(/^MongoDB refused to change insert-new-validated-/)
  const insert = { insertOne: { document: { _id: 1 } } }
  await expect(writeAll(validated, [insert])).rejects.toThrow(StorageUnavailableError)
})
