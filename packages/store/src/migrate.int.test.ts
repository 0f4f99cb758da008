import { afterAll, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { createStore } from './connection.ts'

const uri = process.env.MONGODB_URI ?? ''
const name = `herald-test-migrate-${process.pid}`
const client = new MongoClient(uri)

async function withStore<T>(retentionDays: number | undefined, use: (store: ReturnType<typeof createStore>) => T) {
  const store = createStore({ uri, database: name, applicationName: 'test', retentionDays })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

afterAll(async () => {
  await client.db(name).dropDatabase()
  await client.close()
})

const expiry = async (collection: string) => {
  const indexes = await client.db(name).collection(collection).indexes()
  return indexes.find((index) => index.name === 'retention')?.expireAfterSeconds
}

test('without retention nothing expires; with it both logs do; the time can be changed and taken away again', async () => {
  await withStore(undefined, (store) => store.migrate())
  expect(await expiry('notifications')).toBeUndefined()
  expect(await withStore(30, (store) => store.checkReady())).toMatchObject({ ok: false })
  await withStore(30, (store) => store.migrate())
  expect([await expiry('notifications'), await expiry('change-entries')]).toEqual([2_592_000, 2_592_000])
  await withStore(7, (store) => store.migrate())
  expect(await expiry('notifications')).toBe(604_800)
  expect(await withStore(7, (store) => store.checkReady())).toEqual({ ok: true })
  await withStore(undefined, (store) => store.migrate())
  expect(await expiry('notifications')).toBeUndefined()
})
