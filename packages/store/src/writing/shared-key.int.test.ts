import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createStore } from '../store.ts'
import { createEmptyStore, createNewStore } from '../test-store.fixture.ts'

const { uri, name, migrate, close } = createEmptyStore()
const other = createNewStore('shared-key')

beforeAll(migrate)
afterAll(async () => {
  await other.drop()
  await close()
})

test('concurrent processes get the same key at the first call, and so does a later process', async () => {
  const stores = Array.from({ length: 8 }, () => createStore({ uri, database: name, applicationName: 'test' }))
  const keys = await Promise.all(stores.map((store) => store.streamKeys.get()))
  expect(keys[0]).toHaveLength(32)
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1)
  await Promise.all(stores.map((store) => store.close()))
  const later = createStore({ uri, database: name, applicationName: 'test' })
  expect(await later.streamKeys.get()).toEqual(keys[0])
  await later.close()
})

test('before migrate it throws, and creates no collection', async () => {
  await expect(other.store.streamKeys.get()).rejects.toThrow('ns does not exist')
  expect(await other.database.listCollections().toArray()).toEqual([])
})
