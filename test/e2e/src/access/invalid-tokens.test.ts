import { randomUUID } from 'node:crypto'
import { type StartedKeyServer, startKeyServer } from '@herald/local-herald'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { guarded } from '../support/api-operations.ts'
import { createBody } from '../support/create-body.ts'
import { startTestHerald, type TestHerald } from '../support/herald.ts'
import { send } from '../support/http-client.ts'
import { createInvalidTokens, createRsaKey } from '../support/invalid-tokens.ts'
import { expectProblem } from '../support/problem.ts'

let herald: TestHerald
let keys: StartedKeyServer
let withKeySet: TestHerald
let rsa: ReturnType<typeof createRsaKey>

beforeAll(async () => {
  herald = await startTestHerald('tokens')
  // The same issuer's keys and an RSA key, as a key set.
  rsa = createRsaKey(herald.tokens)
  keys = await startKeyServer({ keys: [...herald.tokens.jwks.keys, rsa.jwk] })
  const { issuer, audience } = herald.tokens
  const settings = { AUTH_JWKS_URI: keys.url, AUTH_PUBLIC_KEY: undefined, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience }
  withKeySet = await startTestHerald('tokens-by-key-set', settings)
}, 120_000)
afterAll(async () => {
  await withKeySet?.stop()
  await keys?.stop()
  await herald?.stop()
})

/** Asserts that every operation returns 401 with a problem document and a challenge. */
async function expectUnauthorizedEverywhere({ baseUrl }: TestHerald, token: string | undefined) {
  for (const { path, method, json } of guarded) {
    const answer = await send(`${baseUrl}${path}`, { method, json, token })
    expect([method, path, answer.status]).toEqual([method, path, 401])
    expectProblem(answer, 401, 'unauthorized')
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
  }
}

const invalidTokens = createInvalidTokens(() => herald.tokens)

test.each(invalidTokens)('every operation returns 401 for $name', async ({ make }) => {
  await expectUnauthorizedEverywhere(herald, await make())
})

test.each(invalidTokens)('every operation returns 401 for $name when a key set is configured', async ({ make }) => {
  await expectUnauthorizedEverywhere(withKeySet, await make())
})

test('rejects an HMAC token with the RSA public key as its secret, and accepts one signed with the private key', async () => {
  await expectUnauthorizedEverywhere(withKeySet, await rsa.confuse())
  await expectUnauthorizedEverywhere(herald, await rsa.sign())
  expect((await send(`${withKeySet.baseUrl}/`, { token: await rsa.sign() })).status).toBe(200)
})

test.each([
  ['in another scheme', (token: string) => ({ authorization: `Basic ${token}` })],
  ['without a scheme', (token: string) => ({ authorization: token })],
  ['in another header', (token: string) => ({ 'x-authorization': `Bearer ${token}` })],
  ['in a cookie', (token: string) => ({ cookie: `token=${token}` })],
])('returns 401 for a valid token %s', async (_, headers) => {
  const answer = await send(`${herald.baseUrl}/`, { headers: headers(await herald.tokens.sign()) })
  expectProblem(answer, 401, 'unauthorized')
})

test('returns 401 for a token in the query', async () => {
  const token = await herald.tokens.sign()
  expectProblem(await send(`${herald.baseUrl}/?access_token=${token}`), 401, 'unauthorized')
})

test('tolerates 15 s of clock skew', async () => {
  for (const overrides of [{ expiresIn: -15 }, { notBefore: 15 }]) {
    const token = await herald.tokens.sign({}, overrides)
    expect((await send(`${herald.baseUrl}/`, { token })).status).toBe(200)
  }
})

test('returns 403 without the scope for exactly the operations that require it', async () => {
  const nothing = await herald.newUser({ scope: undefined })
  const similar = await herald.newUser({ scope: 'change-entries:reads notifications:creates xnotifications:create' })
  for (const user of [nothing, similar]) {
    for (const { method, path, json, scope } of guarded) {
      // HEAD for the stream: its GET would not end.
      const isStream = path.endsWith('/stream')
      const answer = await user.send(path, { method: isStream ? 'HEAD' : method, json })
      expect([method, path, answer.status === 403]).toEqual([method, path, scope !== undefined])
      expect(answer.status).not.toBe(401)
      if (scope === undefined) continue
      expectProblem(answer, 403, 'missing_scope')
      expect(answer.headers.get('www-authenticate')).toContain(`scope="${scope}"`)
    }
  }
})

test('one scope does not imply the other', async () => {
  const [reader, writer] = [
    await herald.newUser({ scope: 'change-entries:read' }),
    await herald.newUser({ scope: 'notifications:create' }),
  ]
  expectProblem(await reader.post('/', createBody([reader.id])), 403, 'missing_scope')
  expect((await reader.get('/change-entries')).status).toBe(200)
  expect((await writer.post('/', createBody([writer.id]))).status).toBe(201)
  for (const path of ['/change-entries', '/change-entries/all']) {
    expectProblem(await writer.get(path), 403, 'missing_scope')
  }
})

test('returns 403 for an actor type other than the token’s', async () => {
  const [person, machine] = [await herald.newUser(), await herald.newUser({ actor_type: 'ai user' })]
  const body = (actorType: string) => createBody([randomUUID()], { actorType })
  expectProblem(await person.post('/', body('ai user')), 403, 'actor_type_mismatch')
  expectProblem(await machine.post('/', body('user')), 403, 'actor_type_mismatch')
  expect((await machine.post('/', body('ai user'))).status).toBe(201)
})
