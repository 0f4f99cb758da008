import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createStore } from '@herald/store'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { decide } from './events/decide.ts'
import { attributes, mentionData, now, structured } from './events/records.fixture.ts'

const uri = process.env.MONGODB_URI ?? ''
const name = `herald-test-write-fan-outs-${process.pid}`
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
    expect(stdout).toContain('"written":20')
    expect(await fanOuts.find().sort({ _id: 1 }).toArray()).toEqual(expected)
  }
  await expect(migrate('--fanouts')).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining('only --fan-outs is allowed'),
  })
}, 60_000)
