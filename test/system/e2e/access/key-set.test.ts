import { type StartedKeyServer, startKeyServer } from '@herald/local-herald'
import { createTokenIssuer, type TokenIssuer } from '@herald/token-issuer'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { guarded } from '../support/api-operations.ts'
import { expectNow } from '../support/clock.ts'
import { createBody } from '../support/create-body.ts'
import { send } from '../support/http-client.ts'
import { createInvalidTokens, createRsaKey } from '../support/invalid-tokens.ts'
import { movableClock, moveClock } from '../support/movable-clock.ts'
import { dataOf } from '../support/notifications.ts'
import { type OwnHerald, startOwnHerald } from '../support/own-herald.ts'
import { expectProblem } from '../support/problem.ts'
import type { Notification } from '../support/spec-shapes.ts'
import { expectUnauthorized } from '../support/unauthorized.ts'
import { createUser } from '../support/user.ts'

let issuer: TokenIssuer
let rsa: ReturnType<typeof createRsaKey>
let keys: StartedKeyServer
let herald: OwnHerald

// The tests continue each other: the set of keys changes, and the clock of the services moves ahead.
beforeAll(async () => {
  issuer = await createTokenIssuer()
  rsa = createRsaKey(issuer)
  keys = await startKeyServer({ keys: [...issuer.jwks.keys, rsa.jwk] })
  const { issuer: name, audience } = issuer
  const settings = { AUTH_JWKS_URI: keys.url, AUTH_PUBLIC_KEY: undefined, AUTH_ISSUER: name, AUTH_AUDIENCE: audience }
  herald = await startOwnHerald('key-set', { ...settings, ...movableClock })
}, 120_000)
afterAll(async () => {
  await herald?.stop()
  await keys?.stop()
})

const list = (token: string) => send(`${herald.baseUrl}/`, { token })

/** `POST /` of ingest and `GET /` of query; `invalid-tokens` asks for every operation. */
const ofBothServices = guarded.filter(({ path }) => path === '/')

/** Another issuer with the same name and audience. */
const newIssuer = () => createTokenIssuer({ issuer: issuer.issuer, audience: issuer.audience })

test('accepts tokens of a key in the issuer’s key set, which each service has fetched once', async () => {
  for (let count = 0; count < 20; count++) expect((await list(await issuer.sign())).status).toBe(200)
  expect(keys.requests()).toBe(2)
})

test('returns 401 for unknown keys without fetching the set for each token', async () => {
  const before = keys.requests()
  const tokens = Array.from({ length: 20 }, (_, count) => issuer.sign({}, { keyId: `unknown-${count}` }))
  const answers = await Promise.all((await Promise.all(tokens)).map(list))
  for (const answer of answers) expectProblem(answer, 401, 'unauthorized')
  expect(keys.requests()).toBeLessThanOrEqual(before + 2)
})

test('accepts a token of a new key at once, right after the set was fetched and while others present unknown keys', async () => {
  const rotated = await newIssuer()
  const unknown = await issuer.sign({}, { keyId: 'of-another-issuer' })
  expectProblem(await list(unknown), 401, 'unauthorized')
  keys.serve({ keys: [...issuer.jwks.keys, rsa.jwk, ...rotated.jwks.keys] })
  const [known, refused] = await Promise.all([list(await rotated.sign()), list(unknown)])
  expect(known.status).toBe(200)
  expectProblem(refused, 401, 'unauthorized')
})

test('returns 401 for a token by another key with the same key id', async () => {
  const { issuer: name, audience, keyId } = issuer
  const forger = await createTokenIssuer({ issuer: name, audience, keyId })
  expectProblem(await list(await forger.sign()), 401, 'unauthorized')
})

test.each(createInvalidTokens(() => issuer))(
  'both services return 401 for $name when a key set is configured',
  async ({ make }) => {
    await expectUnauthorized(herald.baseUrl, await make(), ofBothServices)
  },
)

test('rejects an HMAC token with the RSA public key as its secret, and accepts one signed with the private key', async () => {
  await expectUnauthorized(herald.baseUrl, await rsa.confuse(), ofBothServices)
  expect((await list(await rsa.sign())).status).toBe(200)
})

test('accepts a new key beside the old one, and rejects the old one after its removal', async () => {
  const [second, third] = [await newIssuer(), await newIssuer()]
  keys.serve({ keys: [...issuer.jwks.keys, ...second.jwks.keys] })
  await moveClock(herald.query)
  expect((await list(await second.sign())).status).toBe(200)
  expect((await list(await issuer.sign())).status).toBe(200)

  keys.serve({ keys: [...second.jwks.keys, ...third.jwks.keys] })
  await moveClock(herald.query)
  expect((await list(await third.sign())).status).toBe(200)
  expect((await list(await second.sign())).status).toBe(200)
  expectProblem(await list(await issuer.sign()), 401, 'unauthorized')
  issuer = second
})

test('what is created and marked has the time of MongoDB, not of the process', async () => {
  await moveClock(herald.ingest)
  const user = await createUser(herald.baseUrl, issuer)
  const { id } = dataOf<Notification>(await user.post('/', createBody([user.id])))
  expectNow(dataOf<Notification>(await user.get(`/notifications/${id}`)).createdAt)
  expectNow(dataOf<Notification>(await user.patch(`/notifications/${id}/read`)).readAt)
})

test('accepts known keys and returns 503 for unknown ones while the key server is unavailable', async () => {
  await keys.stop()
  await moveClock(herald.query)
  const answer = await list(await (await newIssuer()).sign())
  expectProblem(answer, 503, 'authentication_unavailable')
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  for (let count = 0; count < 20; count++) expect((await list(await issuer.sign())).status).toBe(200)
})
