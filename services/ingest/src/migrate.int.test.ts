import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createStore } from '@herald/store'
import { afterAll, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'

const uri = process.env.MONGODB_URI ?? ''
const name = `herald-test-migrate-${process.pid}`
const client = new MongoClient(uri)
const store = createStore({ uri, database: name, applicationName: 'test' })
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

test('creates collections and indexes, repeatedly and concurrently', async () => {
  await Promise.all([migrate(), migrate()])
  const { stdout } = await migrate()
  expect(stdout).toContain('Collections and indexes are ready')
  expect(await store.checkReady()).toEqual({ ok: true, warnings: [] })
}, 300_000)

test('rejects options, names them, and changes nothing', async () => {
  await client.db(name).dropDatabase()
  await expect(migrate('--dry-run')).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining('--dry-run: migrate.js has no options'),
  })
  expect(await client.db(name).listCollections().toArray()).toEqual([])
}, 300_000)
