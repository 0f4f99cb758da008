import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { createTestDatabase } from '../test-database.fixture.ts'
import { type KeyDocument, sharedKey } from './shared-key.ts'

const { uri, name, database, migrate, close } = createTestDatabase()
const collection = `keys-${randomUUID()}`

beforeAll(async () => {
  await migrate()
  await database.createCollection(collection)
})
afterAll(close)

const keyIn = (client: MongoClient, of = collection) =>
  sharedKey(client.db(name).collection<KeyDocument<string>>(of), 'event-ids')

test('concurrent processes get the same key at the first call, and so does a later process', async () => {
  const clients = Array.from({ length: 8 }, () => new MongoClient(uri))
  const keys = await Promise.all(clients.map((client) => keyIn(client)))
  expect(keys[0]).toHaveLength(32)
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1)
  await Promise.all(clients.map((client) => client.close()))
  const later = new MongoClient(uri)
  expect(await keyIn(later)).toEqual(keys[0])
  await later.close()
})

test('before migrate it throws, and creates no collection', async () => {
  const missing = `keys-${randomUUID()}`
  await expect(keyIn(database.client, missing)).rejects.toThrow('ns does not exist')
  expect(await database.listCollections({ name: missing }).toArray()).toEqual([])
})
