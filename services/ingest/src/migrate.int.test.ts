import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createStore } from '@herald/store'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { decide } from './events/decide.ts'
import { attributes, mentionData, now, structured } from './events/records.fixture.ts'

const uri = process.env.MONGODB_URI ?? ''
const name = `herald-test-migrate-${process.pid}`
const client = new MongoClient(uri)
const store = createStore({ uri, database: name, applicationName: 'test' })
beforeAll(() => store.migrate())
afterAll(async () => {
  await client.db(name).dropDatabase()
  await client.close()
  await store.close()
})

const run = promisify(execFile)
const command = fileURLToPath(new URL('migrate.ts', import.meta.url))
const migrate = (...options: string[]) =>
  run(process.execPath, [command, ...options], {
    env: { ...process.env, MONGODB_URI: uri, MONGODB_DATABASE: name },
  })

test('`migrate.js --fan-outs` writes what is missing and can be repeated; other options are errors', async () => {
  const fanOuts = client.db(name).collection('fan-outs')
  const stored = Array.from({ length: 20 }, (_, n) =>
    decide(structured(attributes({ id: `evt-${n}` }), mentionData()), 'mention', { now }),
  ).flatMap((decision) => (decision.kind === 'notification' ? [decision.notification] : []))
  await store.notifications.insertNew(stored)
  const expected = await fanOuts.find().sort({ _id: 1 }).toArray()
  expect(expected).toHaveLength(20)
  await fanOuts.deleteMany({})
  await client.db(name).collection('migrations').deleteMany({})

  for (let round = 0; round < 2; round++) {
    const { stdout } = await migrate('--fan-outs')
    expect(stdout).toContain('"count":20')
    expect(await fanOuts.find().sort({ _id: 1 }).toArray()).toEqual(expected)
  }
  await expect(migrate('--fanouts')).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining('only one of --fan-outs and --rewrite-notifications is allowed'),
  })
}, 60_000)

test('`migrate.js --rewrite-notifications` copies the notifications of an earlier release into blocks of the current size', async () => {
  const database = client.db(name)
  const engineOf = async () => {
    const [found] = await database.listCollections({ name: 'notifications' }).toArray()
    return found && 'options' in found ? found.options?.storageEngine : undefined
  }
  const [engine, before] = [await engineOf(), await database.collection('notifications').find().toArray()]
  expect(before.length).toBeGreaterThan(0)
  await database.collection('notifications').drop()
  await database.createCollection('notifications', { clusteredIndex: { key: { _id: 1 }, unique: true } })
  await database.collection('notifications').insertMany(before)
  await migrate()
  for (let round = 0; round < 2; round++) {
    const { stdout } = await migrate('--rewrite-notifications')
    expect(stdout).toContain('The notifications are in blocks of the current size')
    expect(await engineOf()).toEqual(engine)
    expect(await database.collection('notifications').find().toArray()).toEqual(before)
  }
}, 60_000)
