import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { type StartedHerald, startHerald } from '@herald/local-herald'
import { createTopics, findFreePort, type StartedProgram, startProgram, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, describe, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { ownFile, run } from './toolchain.ts'

const { KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env
const servers = { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI }
const folder = mkdtempSync(join(tmpdir(), 'herald-identity-providers-'))

const issued = /^\{"issuer":/
type Issued = { readonly issuer: string; readonly keys: string; readonly token: string; readonly opaque: string }

const stops: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Installs a provider, starts it as the guide configures it, and returns what it issued. */
async function startProvider(name: string, version: string): Promise<Issued> {
  const place = join(folder, name)
  const install = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', place]
  await run('npm', [...install, `${name}@${version}`], folder)
  const port = await findFreePort()
  const provider: StartedProgram = await startProgram({
    name,
    command: process.execPath,
    args: [ownFile('providers', `${name}.mjs`), String(port), place],
    environment: process.env,
    ready: { line: issued },
  })
  stops.push(() => provider.stop())
  return JSON.parse(provider.logs().find((line) => issued.test(line)) ?? '')
}

async function startWith(settings: NodeJS.ProcessEnv): Promise<StartedHerald> {
  const database = `providers-${randomBytes(4).toString('hex')}`
  const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(database))
  const environment = { KAFKA_GROUP_ID: database, AUTH_PUBLIC_KEY: undefined, AUTH_AUDIENCE: 'herald', ...settings }
  const herald = await startHerald({ servers, topics, database, environment })
  stops.push(async () => {
    await herald.stop()
    const client = await MongoClient.connect(MONGODB_URI)
    await client.db(database).dropDatabase()
    await client.close()
  })
  return herald
}

describe.each([
  ['oidc-provider', '9.13.3', { AUTH_USER_CLAIM: 'user_id' }],
  ['better-auth', '1.7.25', {}],
])('%s %s', (name, version, settings) => {
  test('its tokens are accepted with the settings of the guide, and an opaque one is named', async () => {
    const { issuer, keys, token, opaque } = await startProvider(name, version)
    const { baseUrl } = await startWith({ AUTH_JWKS_URI: keys, AUTH_ISSUER: issuer, ...settings })
    const get = (path: string, bearer: string) =>
      fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${bearer}` } })
    expect((await get('/', token)).status).toBe(200)
    expect((await get('/change-entries', token)).status).toBe(200)
    const refused = await get('/', opaque)
    expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([
      401,
      expect.stringContaining('opaque, not a JWT'),
    ])
  }, 240_000)
})
