import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { createAuthenticator } from './authenticator.ts'
import { clock, rsa, rules, signToken } from './tokens.fixture.ts'

// A key server on the loopback interface: its response, and how often it was asked.
let server: Server
let jwksUri: string
let fetches: number
type Answer = { readonly status: number; readonly body: string; readonly location?: string }
let respond: () => Answer | undefined
/** Takes the next answer instead of sending it. */
let hold: ((send: (answer: Answer | undefined) => void) => void) | undefined

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
  time = 0
  publish(toJwk(older.publicKey, 'older'))
  server = createServer((_request, response) => {
    fetches++
    const send = (answer: Answer | undefined) => {
      const { status, body, location } = answer ?? {}
      const headers = { 'content-type': 'application/json', ...(location === undefined ? {} : { location }) }
      if (status !== undefined) response.writeHead(status, headers).end(body)
    }
    if (hold) hold(send)
    else send(respond())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  jwksUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
})
afterEach(() => {
  hold = undefined
  server.closeAllConnections()
  server.close()
})

let time: number
const movedClock = () => new Date(clock().getTime() + time)
const pass = (ms: number) => {
  time += ms
}

function authenticateAt(options: object = {}) {
  const { authenticate } = createAuthenticator({ ...rules, AUTH_JWKS_URI: jwksUri }, { clock: movedClock, ...options })
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

const newToken = () => signToken({}, { kid: 'newer', alg: 'ES256', key: newer.privateKey })

test('accepts a new key at once, however lately the set was fetched, and drops keys that the set no longer has', async () => {
  const authenticate = authenticateAt({ cooldownMs: 50 })
  expect(await authenticate(signToken({}, { kid: 'older' }))).toMatchObject({ ok: true })
  expect(await authenticate(newToken())).toMatchObject({ ok: false, detail: 'The signing key is unknown' })
  publish(toJwk(newer.publicKey, 'newer'))
  expect(await authenticate(newToken())).toMatchObject({ ok: true })
  expect(await authenticate(signToken({}, { kid: 'older' }))).toMatchObject({ ok: false, reason: 'invalid' })
})

test('many tokens of unknown keys share one fetch that begins after they arrived', async () => {
  const authenticate = authenticateAt({ cooldownMs: 100 })
  await authenticate(signToken({}, { kid: 'older' }))
  const tokens = await Promise.all(Array.from({ length: 20 }, (_, n) => signToken({}, { kid: `made-up-${n}` })))
  const refusals = Promise.all(tokens.map(authenticate))
  publish(toJwk(newer.publicKey, 'newer'))
  expect(await authenticate(newToken())).toMatchObject({ ok: true })
  for (const refusal of await refusals) {
    expect(refusal).toEqual({ ok: false, reason: 'invalid', detail: 'The signing key is unknown' })
  }
  expect(fetches).toBe(2)
})

test('a fetch that began before a token arrived proves nothing about its key', async () => {
  let answer: (() => void) | undefined
  const authenticate = authenticateAt({ cooldownMs: 0 })
  expect(await authenticate(signToken({}, { kid: 'older' }))).toMatchObject({ ok: true })
  const [stale, asked] = [respond(), Promise.withResolvers<void>()]
  respond = () => undefined
  hold = (send) => {
    answer = () => send(stale)
    asked.resolve()
  }
  const first = authenticate(signToken({}, { kid: 'made-up' }))
  await asked.promise
  hold = undefined
  publish(toJwk(newer.publicKey, 'newer'))
  const second = authenticate(newToken())
  answer?.()
  expect(await first).toMatchObject({ reason: 'invalid' })
  expect(await second).toMatchObject({ ok: true })
})

test('reports keys as unavailable, with the time to wait, if a fetch is not allowed within 2 s', async () => {
  const authenticate = authenticateAt({ cooldownMs: 5_000 })
  await authenticate(signToken({}, { kid: 'older' }))
  publish(toJwk(newer.publicKey, 'newer'))
  expect(await authenticate(newToken())).toMatchObject({ ok: false, reason: 'unavailable', retryAfterMs: 5_000 })
  expect(fetches).toBe(1)
  pass(5_000)
  expect(await authenticate(newToken())).toMatchObject({ ok: true })
})

test('rejects a key that was removed from the set, once the cache is old', async () => {
  const authenticate = authenticateAt({ cacheMaxAgeMs: 300, cooldownMs: 0 })
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
  const warn = jest.fn()
  const authenticate = authenticateAt({ cacheMaxAgeMs: 0, cooldownMs: 0, logger: { warn } })
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
  respond = () => ({ status: 503, body: '' })
  const authenticate = authenticateAt()
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
  const authenticate = authenticateAt({ cooldownMs: 0, cacheMaxAgeMs: 50 })
  const token = await signToken({}, { kid: 'older' })
  expect(await authenticate(token)).toMatchObject({ ok: true })
  expect(await authenticate(token)).toMatchObject({ ok: true })
  publish(toJwk(newer.publicKey, 'newer'))
  pass(49)
  expect(await authenticate(token)).toMatchObject({ ok: true })
  pass(1)
  expect(await authenticate(token)).toMatchObject({ ok: false, reason: 'invalid' })
})

describe('several keys that fit', () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const others = Array.from({ length: 3 }, () => generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey)
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const withoutId = (key: KeyObject) => ({ ...key.export({ format: 'jwk' }), use: 'sig' })

  test.each<[string, () => object[], string | undefined]>([
    ['one kid twice', () => [toJwk(other.publicKey, 'k'), toJwk(older.publicKey, 'k')], 'k'],
    ['no kid in the token', () => [toJwk(other.publicKey, 'a'), toJwk(older.publicKey, 'b')], undefined],
    ['no kid anywhere', () => [withoutId(other.publicKey), withoutId(older.publicKey)], undefined],
    ['one of them too short', () => [toJwk(short.publicKey, 'k'), toJwk(older.publicKey, 'k')], 'k'],
  ])('are each tried: %s', async (_name, keys, kid) => {
    publish(...keys())
    const token = signToken({}, kid === undefined ? {} : { kid })
    expect(await authenticateAt()(token)).toMatchObject({ ok: true })
  })

  test('are tried up to four', async () => {
    publish(...others.map((key) => toJwk(key, 'k')), toJwk(older.publicKey, 'k'))
    expect(await authenticateAt()(signToken({}, { kid: 'k' }))).toMatchObject({ ok: true })
    publish(...others.map((key) => toJwk(key, 'k')), toJwk(other.publicKey, 'k'), toJwk(older.publicKey, 'k'))
    const refusal = await authenticateAt()(signToken({}, { kid: 'k' }))
    expect(refusal).toEqual({ ok: false, reason: 'invalid', detail: 'The signature is invalid' })
  })
})

describe('a key that cannot verify is named', () => {
  const curve = generateKeyPairSync('ed448')
  const rsaJwk = (more: object) => toJwk(older.publicKey, 'k', more)
  test.each([
    [
      'another curve of OKP',
      () => toJwk(curve.publicKey, 'k'),
      'The signing key has the curve Ed448, which is not supported',
    ],
    [
      'another curve of EC',
      () => ({ ...toJwk(newer.publicKey, 'k'), crv: 'secp256k1' }),
      'The signing key has the curve secp256k1, which is not supported',
    ],
    [
      'another type',
      () => ({ kty: 'AKP', kid: 'k', alg: 'ML-DSA-44', pub: 'AA' }),
      'The signing key has the type AKP, which is not supported',
    ],
    ['another algorithm', () => rsaJwk({ alg: 'PS256' }), 'The signing key is for another algorithm'],
    ['for encryption', () => rsaJwk({ use: 'enc' }), 'The key that the token names is not for signatures'],
  ])('%s', async (_name, key, detail) => {
    publish(key())
    expect(await authenticateAt()(signToken({}, { kid: 'k' }))).toEqual({ ok: false, reason: 'invalid', detail })
  })
})

describe('the readiness check and the log name the key set and what it answered', () => {
  const readinessOf = async (options: object = {}) => {
    const warn = jest.fn()
    const settings = { ...rules, AUTH_JWKS_URI: `${jwksUri}?secret=1` }
    const { readinessChecks } = createAuthenticator(settings, { clock: movedClock, logger: { warn }, ...options })
    return {
      outcome: await readinessChecks[0]?.check(),
      logged: warn.mock.calls.map(([fields]) => (fields as { err: Error }).err.message),
    }
  }

  test.each<[string, () => Answer | undefined, string]>([
    ['404', () => ({ status: 404, body: '' }), ' answered 404'],
    [
      'a redirect',
      () => ({ status: 302, body: '', location: '/login?x=1' }),
      ' answered 302, a redirect to /login, which is not followed',
    ],
    ['a page', () => ({ status: 200, body: '<html>' }), ' answered 200 without a JSON Web Key Set (application/json)'],
    ['nothing', () => undefined, ' did not answer within 100 ms'],
  ])('%s', async (_name, answer, end) => {
    respond = answer
    const { outcome, logged } = await readinessOf({ timeoutMs: 100 })
    const detail = `${jwksUri}${end.replace('to /', `to ${new URL(jwksUri).origin}/`)}`
    expect(outcome).toEqual({ ok: false, detail })
    expect(logged).toEqual([detail])
  })

  test('no server', async () => {
    await new Promise((resolve) => server.close(resolve))
    expect((await readinessOf()).outcome).toEqual({
      ok: false,
      detail: `${jwksUri} could not be reached (ECONNREFUSED)`,
    })
  })

  test('with keys it is ready, and stays so with the last ones', async () => {
    const settings = { ...rules, AUTH_JWKS_URI: jwksUri }
    const { authenticate, readinessChecks } = createAuthenticator(settings, { clock: movedClock })
    const check = () => readinessChecks[0]?.check()
    expect(await check()).toEqual({ ok: true })
    expect(await authenticate([`Bearer ${await signToken({}, { kid: 'older' })}`])).toMatchObject({ ok: true })
    expect(fetches).toBe(1)
    respond = () => ({ status: 500, body: '' })
    pass(600_000)
    expect(await check()).toEqual({ ok: true, detail: `${jwksUri} answered 500` })
    pass(3_600_000)
    expect(await check()).toMatchObject({ ok: true })
    pass(1)
    expect(await check()).toMatchObject({ ok: false })
  })
})
