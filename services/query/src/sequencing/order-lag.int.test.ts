import { type StartedService, startService } from '@herald/local-herald'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { createTestQuery } from '../query.fixture.ts'

const query = await createTestQuery('sequencing')
const settings = { PATH: process.env.PATH, MONGODB_URI: process.env.MONGODB_URI, MONGODB_DATABASE: query.database }
let seal: StartedService

beforeAll(async () => {
  await query.store.migrate()
  seal = await startService('seal', settings)
})
afterAll(async () => {
  seal?.kill('SIGCONT')
  await seal?.stop()
  await query.stop()
})

const metricsOf = async ({ adminUrl }: StartedService) => (await fetch(`${adminUrl}/metrics`)).text()

test('shows how far the order is behind, also while nothing is stored', async () => {
  const user = await query.newUser({ scope: 'change-entries:read' })
  const lagOf = async () => (await user.get('/change-entries?order=recorded')).json.data.lagSeconds
  await eventually(async () => (await lagOf()) <= 3)
  expect(await metricsOf(seal)).toMatch(/^herald_order_lag_seconds \d+$/m)
  seal.kill('SIGSTOP')
  await eventually(async () => (await lagOf()) >= 6)
  // As if the clock of the primary had been set back meanwhile.
  const client = new MongoClient(process.env.MONGODB_URI ?? '')
  const ahead = { levelAt: { $add: ['$$NOW', 7_200_000] } }
  await client
    .db(query.database)
    .collection<{ _id: string }>('log-state')
    .updateOne({ _id: 'order' }, [{ $set: ahead }])
    .finally(() => client.close())
  await eventually(async () => (await lagOf()) >= 8)
  seal.kill('SIGCONT')
  await eventually(async () => (await lagOf()) <= 3)
}, 120_000)
