import { newNotification } from '@herald/feed/testing'
import { uuid } from '@herald/mongo/testing'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { createStore } from '../store.ts'
import { createNewStore } from '../test-store.fixture.ts'

const { uri, name, database, drop } = createNewStore('plan')

async function withStore<T>(
  retentionDays: number | undefined,
  use: (store: ReturnType<typeof createStore>) => Promise<T>,
) {
  const store = createStore({ uri, database: name, applicationName: 'test', retentionDays })
  return use(store).finally(() => store.close())
}
const plan = (retentionDays?: number) => withStore(retentionDays, (store) => store.planMigration())
const migrate = (retentionDays?: number) => withStore(retentionDays, (store) => store.migrate())
const steps = async (retentionDays?: number) => {
  const { missing, retention } = await plan(retentionDays)
  return [...missing, ...retention]
}

beforeEach(() => database.dropDatabase())
afterAll(drop)

test('lists what migrate creates, and changes nothing', async () => {
  expect(await steps()).toEqual(
    expect.arrayContaining(['collection fan-outs is missing', 'collection notifications is missing']),
  )
  expect(await database.listCollections().toArray()).toEqual([])
  await migrate()
  expect(await steps()).toEqual([])
  await database.collection('fan-outs').dropIndex('location')
  expect(await steps()).toEqual(['index location of fan-outs is missing or different'])
})

test('lists changes of the retention', async () => {
  await migrate()
  expect(await steps(7)).toContain('documents of notifications expire never, not after 604800 s')
  await migrate(7)
  expect(await steps(30)).toContain('documents of notifications expire after 604800 s, not after 2592000 s')
  expect(await steps()).toContain('documents of notifications expire after 604800 s, not never')
  expect(await steps(7)).toEqual([])
})

test('lists a collection that is not clustered, and whether migrate would fail on it', async () => {
  await database.collection('notifications').insertOne({ early: true })
  await database.collection('notifications').deleteMany({})
  expect(await steps()).toContain('collection notifications is not clustered')
  await withStore(undefined, (store) => store.notifications.insertNew([newNotification(uuid(1))]))
  const blocking = ['collection notifications is not clustered and contains documents, which stops migrate']
  expect(await plan()).toMatchObject({ blocking, missing: expect.arrayContaining(blocking) })
})
