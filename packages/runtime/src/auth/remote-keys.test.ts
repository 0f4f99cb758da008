import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { createAuthenticator } from './authenticator.ts'
import { clock, rsa, rules, signToken } from './tokens.fixture.ts'

// A key server on the loopback interface: its response, and how often it was asked.
let server: Server
let jwksUri: string
let fetches: number
let respond: () => { readonly status: number; readonly body: string } | undefined

const toJwk = (key: KeyObject, kid: string, more = {}) => ({
  ...key.export({ format: 'jwk' }),
  kid,
  use: 'sig',
  ...more,
})
const publish = (...keys: object[]) => {
  respond = () => ({ status: 200, body: JSON.stringify({ keys }) })
}
const older = rsa
const newer = generateKeyPairSync('ec', { namedCurve: 'P-256' })

beforeEach(async () => {
  fetches = 0
  publish(toJwk(older.publicKey, 'older'))
  server = createServer((_request, response) => {
    fetches++
    const answer = respond()
    if (answer) response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  jwksUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
})
afterEach(() => {
  jest.restoreAllMocks()
  server.closeAllConnections()
  server.close()
})

/** Makes the time of the cache stand still until it passes: jose reads it from `Date.now()`. */
function stopTime() {
  let now = Date.now()
  jest.spyOn(Date, 'now').mockImplementation(() => now)
  return (ms: number) => {
    now += ms
  }
}

function authenticateAt(options: object = {}) {
  const { authenticate } = createAuthenticator({ ...rules, AUTH_JWKS_URI: jwksUri }, { clock, ...options })
  return async (token: string | Promise<string>) => authenticate([`Bearer ${await token}`])
}

test('fetches the keys at the first token and caches them', async () => {
  const authenticate = authenticateAt()
  expect(fetches).toBe(0)
  for (let time = 0; time < 3; time++) {
    expect(await authenticate(signToken({}, { kid: 'older' }))).toMatchObject({ ok: true })
  }
  expect(fetches).toBe(1)
})

test('finds a new key after the cooldown, and drops keys that the set no longer has', async () => {
  const authenticate = authenticateAt({ cooldownMs: 0 })
  const newToken = signToken({}, { kid: 'newer', alg: 'ES256', key: newer.privateKey })
  expect(await authenticate(signToken({}, { kid: 'older' }))).toMatchObject({ ok: true })
  expect(await authenticate(newToken)).toMatchObject({ ok: false, reason: 'invalid' })
  publish(toJwk(newer.publicKey, 'newer'))
  expect(await authenticate(newToken)).toMatchObject({ ok: true })
  expect(await authenticate(signToken({}, { kid: 'older' }))).toMatchObject({ ok: false, reason: 'invalid' })
})

test('rejects an unknown key during the cooldown without fetching', async () => {
  const authenticate = authenticateAt()
  await authenticate(signToken({}, { kid: 'older' }))
  for (let time = 0; time < 5; time++) {
    const refusal = await authenticate(signToken({}, { kid: `made-up-${time}` }))
    expect(refusal).toEqual({ ok: false, reason: 'invalid', detail: 'The signing key is unknown' })
  }
  expect(fetches).toBe(1)
})

test('rejects a key that was removed from the set, once the cache is old', async () => {
  const pass = stopTime()
  const authenticate = authenticateAt({ cacheMaxAgeMs: 300 })
  const token = signToken({}, { kid: 'older' })
  expect(await authenticate(token)).toMatchObject({ ok: true })
  publish(toJwk(newer.publicKey, 'newer'))
  pass(299)
  expect(await authenticate(token)).toMatchObject({ ok: true })
  pass(1)
  expect(await authenticate(token)).toMatchObject({
    ok: false,
    reason: 'invalid',
    detail: 'The signing key is unknown',
  })
})

test('keeps using the last keys while the key server is down, and asks it at most every 30 s', async () => {
  let time = 0
  const warn = jest.fn()
  const later = () => new Date(clock().getTime() + time)
  const authenticate = authenticateAt({ cacheMaxAgeMs: 0, clock: later, logger: { warn } })
  const token = signToken({}, { kid: 'older' })
  expect(await authenticate(token)).toMatchObject({ ok: true })
  respond = () => ({ status: 503, body: '' })
  for (let count = 0; count < 3; count++) expect(await authenticate(token)).toMatchObject({ ok: true })
  expect([fetches, warn.mock.calls.length]).toEqual([2, 1])
  const unknown = signToken({}, { kid: 'newer', alg: 'ES256', key: newer.privateKey })
  expect(await authenticate(unknown)).toMatchObject({ ok: false, reason: 'unavailable' })

  publish(toJwk(newer.publicKey, 'newer'))
  time = 30_000
  expect(await authenticate(unknown)).toMatchObject({ ok: true })
  expect(await authenticate(token)).toMatchObject({ ok: false, reason: 'invalid' })
})

test('stops using the last keys after a long outage', async () => {
  const pass = stopTime()
  const authenticate = authenticateAt({ cacheMaxAgeMs: 0, outageMs: 100 })
  const token = signToken({}, { kid: 'older' })
  expect(await authenticate(token)).toMatchObject({ ok: true })
  await new Promise((resolve) => server.close(resolve).closeAllConnections())
  pass(100)
  expect(await authenticate(token)).toMatchObject({ ok: true })
  pass(1)
  expect(await authenticate(token)).toMatchObject({ ok: false, reason: 'unavailable' })
})

test('fetches the keys again when the cache is old', async () => {
  const authenticate = authenticateAt({ cacheMaxAgeMs: 0 })
  await authenticate(signToken({}, { kid: 'older' }))
  await authenticate(signToken({}, { kid: 'older' }))
  expect(fetches).toBe(2)
})

test.each([
  ['responds with 500', () => ({ status: 500, body: '' })],
  ['responds without a key set', () => ({ status: 200, body: '{"keys":1}' })],
  ['responds without JSON', () => ({ status: 200, body: '<html>' })],
  ['does not respond', () => undefined],
])('reports keys as unavailable when the key server %s', async (_name, answer) => {
  respond = answer
  const authenticate = authenticateAt({ timeoutMs: 100 })
  const refusal = await authenticate(signToken({}, { kid: 'older' }))
  expect(refusal).toMatchObject({ ok: false, reason: 'unavailable', cause: expect.any(Error) })
})

test('waits a second after a failed fetch, then fetches again', async () => {
  let time = 0
  respond = () => ({ status: 503, body: '' })
  const authenticate = authenticateAt({ clock: () => new Date(clock().getTime() + time) })
  const token = await signToken({}, { kid: 'older' })
  expect(await authenticate(token)).toMatchObject({ reason: 'unavailable' })
  publish(toJwk(older.publicKey, 'older'))
  time = 999
  expect(await authenticate(token)).toMatchObject({ reason: 'unavailable' })
  expect(fetches).toBe(1)
  time = 1_000
  expect(await authenticate(token)).toMatchObject({ ok: true })
})

test('reports keys as unavailable when the key server is unreachable', async () => {
  await new Promise((resolve) => server.close(resolve))
  expect(await authenticateAt()(signToken({}, { kid: 'older' }))).toMatchObject({ reason: 'unavailable' })
})

test('ignores a shared secret in the key set', async () => {
  const secret = Buffer.alloc(32, 7)
  publish({ kty: 'oct', kid: 'secret', k: secret.toString('base64url') })
  const token = signToken({}, { kid: 'secret', alg: 'HS256', key: secret })
  expect(await authenticateAt()(token)).toMatchObject({ ok: false, reason: 'invalid' })
})

test('uses a key only with its own algorithm', async () => {
  publish(toJwk(older.publicKey, 'older', { alg: 'PS256' }))
  const authenticate = authenticateAt()
  expect(await authenticate(signToken({}, { kid: 'older', alg: 'PS256' }))).toMatchObject({ ok: true })
  expect(await authenticate(signToken({}, { kid: 'older', alg: 'RS256' }))).toMatchObject({ reason: 'invalid' })
})

test('rejects a verified token once its key is revoked and the cache is old', async () => {
  const pass = stopTime()
  const authenticate = authenticateAt({ clock: () => new Date(Date.now()), cooldownMs: 0, cacheMaxAgeMs: 50 })
  const seconds = Math.floor(Date.now() / 1_000)
  const token = await signToken({ exp: seconds + 3_600 }, { kid: 'older' })
  expect(await authenticate(token)).toMatchObject({ ok: true })
  expect(await authenticate(token)).toMatchObject({ ok: true })
  publish(toJwk(newer.publicKey, 'newer'))
  pass(49)
  expect(await authenticate(token)).toMatchObject({ ok: true })
  pass(1)
  expect(await authenticate(token)).toMatchObject({ ok: false, reason: 'invalid' })
})
