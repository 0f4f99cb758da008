import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { newNotification, uuid } from '../store.fixture.ts'
import { createStore } from '../store.ts'

const uri = process.env.MONGODB_URI ?? ''
const database = `herald-test-plan-${process.pid}`
const client = new MongoClient(uri)

async function withStore<T>(
  retentionDays: number | undefined,
  use: (store: ReturnType<typeof createStore>) => Promise<T>,
) {
  const store = createStore({ uri, database, applicationName: 'test', retentionDays })
  return use(store).finally(() => store.close())
}
const plan = (retentionDays?: number) => withStore(retentionDays, (store) => store.planMigration())
const migrate = (retentionDays?: number) => withStore(retentionDays, (store) => store.migrate())
const steps = async (retentionDays?: number) => (await plan(retentionDays)).map(({ step }) => step)

beforeEach(() => client.db(database).dropDatabase())
afterAll(async () => {
  await client.db(database).dropDatabase()
  await client.close()
})

test('lists what migrate creates, and changes nothing', async () => {
  expect(await steps()).toEqual(
    expect.arrayContaining(['Create the collection fan-outs', 'Create the index location of fan-outs']),
  )
  expect(await client.db(database).listCollections().toArray()).toEqual([])
  await migrate()
  expect(await steps()).toEqual([])
})

test('lists changes of the retention', async () => {
  await migrate()
  const created = 'Create the index retention of notifications (documents expire after 604800 s)'
  expect(await steps(7)).toEqual(expect.arrayContaining([created]))
  await migrate(7)
  expect(await steps(30)).toContain('Change the index retention of notifications (documents expire after 2592000 s)')
  expect(await steps()).toContain('Drop the index retention of notifications: its documents no longer expire')
  expect(await steps(7)).toEqual([])
})

test('lists a collection that is not clustered, and whether migrate would fail on it', async () => {
  await client.db(database).collection('notifications').insertOne({ early: true })
  await client.db(database).collection('notifications').deleteMany({})
  expect(await steps()).toContain('Recreate the empty collection notifications, which is not clustered')
  await withStore(undefined, (store) => store.notifications.insertNew([newNotification(uuid(1))]))
  expect(await plan()).toContainEqual({
    step: 'Fail: the collection notifications is not clustered and contains documents',
    isBlocked: true,
  })
})
