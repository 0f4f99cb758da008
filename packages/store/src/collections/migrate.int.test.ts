import { newNotification } from '@herald/feed/testing'
import { createIfMissing, createIndex, replaceUnclustered } from '@herald/mongo'
import { uuid } from '@herald/mongo/testing'
import { afterAll, expect, test } from '@jest/globals'
import { createStore } from '../store.ts'
import { createNewStore } from '../test-store.fixture.ts'

const { uri, name, database, drop } = createNewStore('migrate')

async function withStore<T>(retentionDays: number | undefined, use: (store: ReturnType<typeof createStore>) => T) {
  const store = createStore({ uri, database: name, applicationName: 'test', retentionDays })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

afterAll(drop)

const expiry = async (collection: string) => {
  const indexes = await database.collection(collection).indexes()
  return indexes.find((index) => index.name === 'retention')?.expireAfterSeconds
}

test('adds, changes and removes the retention; fan-outs and tombstones stay a day longer', async () => {
  await withStore(undefined, (store) => store.migrate())
  expect(await expiry('notifications')).toBeUndefined()
  await withStore(30, (store) => store.migrate())
  expect([await expiry('notifications'), await expiry('change-entries')]).toEqual([2_592_000, 2_592_000])
  expect([await expiry('fan-outs'), await expiry('tombstones')]).toEqual([2_678_400, 2_678_400])
  await withStore(7, (store) => store.migrate())
  expect(await expiry('notifications')).toBe(604_800)
  expect(await withStore(7, (store) => store.checkReady())).toEqual({ ok: true, warnings: [] })
  await withStore(undefined, (store) => store.migrate())
  expect(await expiry('notifications')).toBeUndefined()
})

test.each([
  [undefined, 30, 'expire never, not after 2592000 s', 'expire never, not after 2678400 s'],
  [30, 7, 'expire after 2592000 s, not after 604800 s', 'expire after 2678400 s, not after 691200 s'],
  [30, undefined, 'expire after 2592000 s, not never', 'expire after 2678400 s, not never'],
])('migrated for %s days, a process configured for %s is ready and warns', async (migrated, own, warning, ofLonger) => {
  await withStore(migrated, (store) => store.migrate())
  const readiness = await withStore(own, (store) => store.checkReady())
  const warnings = [
    ...['notifications', 'change-entries'].map((collection) => `documents of ${collection} ${warning}`),
    ...['fan-outs', 'tombstones', 'erasures'].map((collection) => `documents of ${collection} ${ofLonger}`),
  ]
  expect(readiness).toEqual({ ok: true, warnings: expect.arrayContaining(warnings) })
  expect(readiness).toHaveProperty('warnings.length', warnings.length)
})

const isClustered = async (collection: string) => {
  const [found] = await database.listCollections({ name: collection }).toArray()
  return found !== undefined && 'options' in found && found.options?.clusteredIndex !== undefined
}

test('recreates an empty collection created by an early write, even with concurrent migrations', async () => {
  await database.dropDatabase()
  for (const collection of ['notifications', 'bulk-marks']) {
    await database.collection(collection).insertOne({ early: true })
    await database.collection(collection).deleteMany({})
  }
  expect(await withStore(undefined, (store) => store.checkReady())).toMatchObject({
    ok: false,
    detail: expect.stringContaining('collection fan-outs is missing'),
  })
  await Promise.all(Array.from({ length: 3 }, () => withStore(undefined, (store) => store.migrate())))
  expect([await isClustered('notifications'), await isClustered('bulk-marks')]).toEqual([true, true])
  expect(await withStore(undefined, (store) => store.checkReady())).toEqual({ ok: true, warnings: [] })
  const left = await database.listCollections({ name: /unclustered/ }).toArray()
  expect(left).toEqual([])
})

test('rejects a collection that contains documents, and leaves it unchanged', async () => {
  await database.dropDatabase()
  await withStore(undefined, async (store) => {
    await store.notifications.insertNew([newNotification(uuid(1))])
    await expect(store.migrate()).rejects.toThrow('The collection notifications is not clustered and holds documents')
  })
  expect(await database.collection('notifications').countDocuments()).toBe(1)
})

test('leaves a collection that another process has put in the place of the unclustered one', async () => {
  await database.dropDatabase()
  await database.createCollection('notifications')
  const clusteredIndex = { key: { _id: 1 }, unique: true }
  // The other process is done between this one's look and its rename.
  const findOne = async () => {
    await database.dropCollection('notifications')
    const replaced = await database.createCollection('notifications', { clusteredIndex })
    await replaced.insertOne({ stored: true })
    return null
  }
  const collection = (of: string) => (of === 'notifications' ? { findOne } : database.collection(of))
  const stale = Object.create(database, { collection: { value: collection } })
  await expect(replaceUnclustered(stale, 'notifications', { clusteredIndex })).rejects.toMatchObject({
    codeName: 'CollectionUUIDMismatch',
  })
  expect(await isClustered('notifications')).toBe(true)
  expect(await database.collection('notifications').countDocuments()).toBe(1)
})

const engineOf = async (collection: string) => {
  const [found] = await database.listCollections({ name: collection }).toArray()
  return found && 'options' in found ? found.options?.storageEngine?.wiredTiger.configString : undefined
}

const engineOfBoxes = async () => {
  const indexes = await database.collection('notifications').indexes()
  return indexes.find((index) => index.name === 'box')?.storageEngine?.wiredTiger
}

test('creates feeds, the index of their boxes and logs with small blocks', async () => {
  await database.dropDatabase()
  await withStore(undefined, (store) => store.migrate())
  expect(await engineOf('notifications')).toBe('leaf_page_max=8KB,allocation_size=512B')
  expect(await engineOfBoxes()).toEqual({ configString: 'leaf_page_max=4KB,allocation_size=512B' })
  expect(await engineOf('change-entries')).toBe('leaf_page_max=16KB,allocation_size=512B')
})

const boxIndex = { name: 'box' } as const

test('accepts feeds with other blocks, and leaves them as they are', async () => {
  await database.dropDatabase()
  const clusteredIndex = { key: { _id: 1 }, unique: true }
  const notifications = await database.createCollection('notifications', { clusteredIndex })
  await notifications.createIndex({ box: 1, _id: 1 }, boxIndex)
  await withStore(undefined, (store) => store.migrate())
  expect(await engineOf('notifications')).toBeUndefined()
  expect(await engineOfBoxes()).toBeUndefined()
  expect(await withStore(undefined, (store) => store.checkReady())).toEqual({ ok: true, warnings: [] })
})

test('accepts an index that has other settings of the storage engine, but no other index of that name', async () => {
  await database.dropDatabase()
  await withStore(undefined, (store) => store.migrate())
  const notifications = database.collection('notifications')
  const storageEngine = { wiredTiger: { configString: 'leaf_page_max=32KB' } }
  const options = { ...boxIndex, storageEngine }
  await notifications.dropIndex('box')
  await notifications.createIndex({ box: 1, _id: 1 }, options)
  await withStore(undefined, (store) => store.migrate())
  expect(await engineOfBoxes()).toEqual(storageEngine.wiredTiger)
  await notifications.dropIndex('box')
  await notifications.createIndex({ box: 1, createdAt: 1 }, options)
  await expect(withStore(undefined, (store) => store.migrate())).rejects.toThrow('box')
})

test('creates collections and indexes without the settings of the storage engine where the server refuses them', async () => {
  await database.dropDatabase()
  const storageEngine = { wiredTiger: { configString: 'unknown_setting=1' } }
  const options = { clusteredIndex: { key: { _id: 1 }, unique: true }, storageEngine }
  await createIfMissing(database, 'feeds', options)
  await createIndex(database, 'feeds', { name: 'state', key: { state: 1 }, storageEngine })
  const state = (await database.collection('feeds').indexes()).find((index) => index.name === 'state')
  expect(state).toEqual({ v: 2, key: { state: 1 }, name: 'state' })
  expect(await isClustered('feeds')).toBe(true)
  expect(await engineOf('feeds')).toBeUndefined()
})
