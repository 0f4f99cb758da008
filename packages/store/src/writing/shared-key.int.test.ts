import { afterAll, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { createStore } from '../store.ts'

const uri = process.env.MONGODB_URI ?? ''
const name = `herald-test-shared-key-${process.pid}`
const client = new MongoClient(uri)

afterAll(async () => {
  await client.db(name).dropDatabase()
  await client.close()
})

test('concurrent processes get the same key at the first call, and so does a later process', async () => {
  const stores = Array.from({ length: 8 }, () => createStore({ uri, database: name, applicationName: 'test' }))
  await stores[0]?.migrate()
  const keys = await Promise.all(stores.map((store) => store.streamKeys.get()))
  expect(keys[0]).toHaveLength(32)
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1)
  await Promise.all(stores.map((store) => store.close()))
  const later = createStore({ uri, database: name, applicationName: 'test' })
  expect(await later.streamKeys.get()).toEqual(keys[0])
  await later.close()
})

test('before migrate it throws, and creates no collection', async () => {
  const store = createStore({ uri, database: `${name}-empty`, applicationName: 'test' })
  await expect(store.streamKeys.get()).rejects.toThrow('ns does not exist')
  expect(await client.db(`${name}-empty`).listCollections().toArray()).toEqual([])
  await store.close()
})
