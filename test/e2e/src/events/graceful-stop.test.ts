import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBody } from '../support/create-body.ts'
import { startTestHerald, type TestHerald } from '../support/herald.ts'
import { idsListed, loadFor, publishLoad } from '../support/load.ts'
import { countStored, idsStored } from '../support/stored.ts'

let herald: TestHerald

beforeAll(async () => {
  herald = await startTestHerald('stop')
})
afterAll(() => herald?.stop())

test('ingest exits with code 0 within 25 s of SIGTERM under load, and stores each event exactly once after a restart', async () => {
  const user = await herald.newUser({ scope: 'change-entries:read' })
  const events = 20_000
  const load = loadFor(user, events)
  const publishing = publishLoad(herald, load)
  await eventually(async () => (await countStored(herald.database)) > 1_000, { every: 5 })
  const sentAt = Date.now()
  herald.ingest.kill('SIGTERM')
  expect(await herald.ingest.exited).toMatchObject({ code: 0, signal: null })
  expect(Date.now() - sentAt).toBeLessThan(25_000)

  // Records in progress were finished and committed: the store holds exactly the committed ones.
  const published = await publishing
  const { isCommitted } = await herald.progress()
  const { notifications, changeEntries } = await idsStored(herald.database)
  const committed = published.filter(isCommitted).map(({ id }) => id)
  expect([...notifications, ...changeEntries].sort()).toEqual(committed.sort())
  expect(committed.length).toBeLessThan(events)

  await herald.ingest.restart()
  await eventually(async () => (await countStored(herald.database)) >= events, { within: 60_000, every: 200 })
  expect(await idsStored(herald.database)).toEqual(load.stored)
  expect(await idsListed(user)).toEqual(load.stored)
}, 120_000)

test('query exits with code 0 within 25 s of SIGTERM, and serves again after a restart', async () => {
  const user = await herald.newUser({})
  await user.post('/', createBody([user.id]))
  const listed = await user.get('/')
  const sentAt = Date.now()
  herald.query.kill('SIGTERM')
  expect(await herald.query.exited).toMatchObject({ code: 0, signal: null })
  expect(Date.now() - sentAt).toBeLessThan(25_000)
  await herald.query.restart()
  expect((await user.get('/')).json).toStrictEqual(listed.json)
})
