import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { serviceFile, startService } from '@herald/local-herald'
import { findFreePort, type StartedProgram, startProgram } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { java } from './java.ts'
import { keycloak, type StartedProvider, springBoot, startKeycloak, startSpring } from './java-providers.ts'
import { ownFile, run } from './toolchain.ts'

const { MONGODB_URI = '' } = process.env
const storage = { MONGODB_URI, MONGODB_DATABASE: `providers-${randomUUID().slice(0, 8)}` }
const folder = mkdtempSync(join(tmpdir(), 'herald-identity-providers-'))
const whyNoJava = await java.whyNot()
if (whyNoJava !== undefined) console.warn(`Skipped the providers in Java: ${whyNoJava}.`)
const inJava = whyNoJava === undefined ? describe : describe.skip

const issued = /^\{"issuer":/
type Issued = { readonly issuer: string; readonly keys: string; readonly token: string; readonly opaque: string }

const stops: (() => Promise<unknown>)[] = []
beforeAll(() => run(process.execPath, [serviceFile('ingest', 'migrate')], folder, storage), 120_000)
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
  rmSync(folder, { recursive: true, force: true })
  const client = await MongoClient.connect(MONGODB_URI)
  await client.db(storage.MONGODB_DATABASE).dropDatabase()
  await client.close()
})

/** Installs a provider, starts it as the guide configures it, and returns what it issued. */
async function startPackage(name: string, version: string): Promise<Issued> {
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

/** Starts a service that accepts the tokens of a provider; returns how it answers one. */
async function startWith({ issuer, keys }: Pick<Issued, 'issuer' | 'keys'>, settings: NodeJS.ProcessEnv = {}) {
  const authentication = { AUTH_JWKS_URI: keys, AUTH_ISSUER: issuer, AUTH_AUDIENCE: 'herald', ...settings }
  const service = await startService('query', { ...process.env, ...storage, ...authentication })
  stops.push(() => service.stop())
  return async (path: string, token: string) => {
    const answer = await fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } })
    const { detail } = (await answer.json()) as { detail?: string }
    return detail === undefined ? answer.status : `${answer.status} ${detail}`
  }
}

const own = (name: string) => {
  const place = join(folder, name)
  mkdirSync(place)
  return place
}

describe.each([
  ['oidc-provider', '9.13.3', { AUTH_USER_CLAIM: 'user_id' }],
  ['better-auth', '1.7.25', {}],
])('%s %s', (name, version, settings) => {
  test('its tokens are accepted with the settings of the guide, and an opaque one is named', async () => {
    const { token, opaque, ...provider } = await startPackage(name, version)
    const ask = await startWith(provider, settings)
    expect([await ask('/', token), await ask('/change-entries', token)]).toEqual([200, 200])
    expect(await ask('/', opaque)).toMatch(/^401 .*opaque, not a JWT/)
  }, 240_000)
})

inJava(`Spring Authorization Server of Spring Boot ${springBoot}`, () => {
  test('its tokens, with a list of scopes, are accepted with the settings of the guide', async () => {
    const provider = await startSpring(own('spring'))
    stops.push(provider.stop)
    const ask = await startWith(provider, { AUTH_USER_CLAIM: 'user_id' })
    const token = await provider.tokenWith('change-entries:read')
    expect([await ask('/', token), await ask('/change-entries', token)]).toEqual([200, 200])
    expect(await ask('/change-entries', await provider.tokenWith('notifications:create'))).toMatch(/^403 .*lacks/)
  }, 600_000)
})

inJava(`Keycloak ${keycloak}`, () => {
  let provider: StartedProvider & { rotate(): Promise<void> }
  beforeAll(async () => {
    provider = await startKeycloak(own('keycloak'))
    stops.push(provider.stop)
  }, 900_000)

  test('a scope is in a token that asks for it, and only then', async () => {
    const ask = await startWith(provider)
    const token = await provider.tokenWith('change-entries:read')
    expect([await ask('/', token), await ask('/change-entries', token)]).toEqual([200, 200])
    expect(await ask('/change-entries', await provider.tokenWith('notifications:create'))).toMatch(/^403 .*lacks/)
  }, 120_000)

  test.each([
    ['an organization', '/organization/*/id'],
    ['a name with escaped dots', 'https://acme.example/tenant'],
    ['a nested claim of a mapper with several values', '/app/tenant'],
  ])(
    'the subscriber is %s: %s',
    async (_, claim) => {
      const ask = await startWith(provider, { AUTH_SUBSCRIBER_CLAIM: claim })
      expect(await ask('/', await provider.tokenWith('organization:acme'))).toBe(200)
    },
    120_000,
  )

  test('a token without the organization says what is missing', async () => {
    const ask = await startWith(provider, { AUTH_SUBSCRIBER_CLAIM: '/organization/*/id' })
    expect(await ask('/', await provider.tokenWith('change-entries:read'))).toMatch(
      /^401 .*\/organization\/\*\/id.*missing/,
    )
  }, 120_000)

  test('no token is refused after a rotation, neither of the next key nor of the former', async () => {
    const ask = await startWith(provider)
    const former = await provider.tokenWith('change-entries:read')
    expect(await ask('/', former)).toBe(200)
    await provider.rotate()
    const next = await provider.tokenWith('change-entries:read')
    expect(keyOf(next)).not.toBe(keyOf(former))
    expect([await ask('/', next), await ask('/', former)]).toEqual([200, 200])
  }, 120_000)
})

const keyOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid
