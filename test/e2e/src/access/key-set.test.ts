import { type StartedKeyServer, startKeyServer } from '@herald/local-herald'
import { eventually } from '@herald/test-servers'
import { createTokenIssuer, type TokenIssuer } from '@herald/token-issuer'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startTestHerald, type TestHerald } from '../support/herald.ts'
import { send } from '../support/http-client.ts'
import { expectProblem } from '../support/problem.ts'

let issuer: TokenIssuer
let keys: StartedKeyServer
let herald: TestHerald

beforeAll(async () => {
  issuer = await createTokenIssuer()
  keys = await startKeyServer(issuer.jwks)
  herald = await startTestHerald('key-set', { AUTH_JWKS_URI: keys.url, AUTH_PUBLIC_KEY: undefined })
})
afterAll(async () => {
  await herald?.stop()
})

const list = (token: string) => send(`${herald.baseUrl}/`, { token })

test('accepts tokens of a key in the issuer’s key set and fetches the set once', async () => {
  for (let count = 0; count < 20; count++) expect((await list(await issuer.sign())).status).toBe(200)
  expect(keys.requests()).toBe(1)
})

test('returns 401 for unknown keys without fetching the set for each token', async () => {
  const before = keys.requests()
  for (let count = 0; count < 20; count++) {
    expectProblem(await list(await issuer.sign({}, { keyId: `unknown-${count}` })), 401, 'unauthorized')
  }
  expect(keys.requests()).toBeLessThanOrEqual(before + 1)
})

test('returns 401 for a token by another key with the same key id', async () => {
  const { issuer: name, audience, keyId } = issuer
  const forger = await createTokenIssuer({ issuer: name, audience, keyId })
  expectProblem(await list(await forger.sign()), 401, 'unauthorized')
})

// The following tests wait for the cool-down between two fetches of the key set, 30 s each.
test('accepts a new key beside the old one, and rejects the old one after its removal', async () => {
  const { issuer: name, audience } = issuer
  const [second, third] = [
    await createTokenIssuer({ issuer: name, audience }),
    await createTokenIssuer({ issuer: name, audience }),
  ]
  const untilAccepted = async (next: TokenIssuer) =>
    eventually(async () => (await list(await next.sign())).status === 200, { within: 45_000, every: 250 })

  keys.serve({ keys: [...issuer.jwks.keys, ...second.jwks.keys] })
  await untilAccepted(second)
  expect((await list(await issuer.sign())).status).toBe(200)

  keys.serve({ keys: [...second.jwks.keys, ...third.jwks.keys] })
  await untilAccepted(third)
  expect((await list(await second.sign())).status).toBe(200)
  expectProblem(await list(await issuer.sign()), 401, 'unauthorized')
  issuer = second
}, 120_000)

test('accepts known keys and returns 503 for unknown ones while the key server is unavailable', async () => {
  await keys.stop()
  const stranger = await createTokenIssuer({ issuer: issuer.issuer, audience: issuer.audience })
  await eventually(async () => (await list(await stranger.sign())).status === 503, { within: 45_000, every: 250 })
  const answer = await list(await stranger.sign())
  expectProblem(answer, 503, 'authentication_unavailable')
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  for (let count = 0; count < 20; count++) expect((await list(await issuer.sign())).status).toBe(200)
}, 120_000)
