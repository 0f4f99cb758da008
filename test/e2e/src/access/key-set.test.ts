import { createTokenIssuer, type StartedKeyServer, startKeyServer, type TokenIssuer } from '@herald/local-stack'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startTestHerald, type TestHerald } from '../support/herald.ts'
import { send } from '../support/http-client.ts'
import { eventually } from '../support/polling.ts'
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

test('a token of a key in the issuer’s set is good, and the set is asked for once', async () => {
  for (let count = 0; count < 20; count++) expect((await list(await issuer.sign())).status).toBe(200)
  expect(keys.requests()).toBe(1)
})

test('a token of a key that the set does not have is refused, and many of them do not ask for the set each time', async () => {
  const before = keys.requests()
  for (let count = 0; count < 20; count++) {
    expectProblem(await list(await issuer.sign({}, { keyId: `unknown-${count}` })), 401, 'unauthorized')
  }
  expect(keys.requests()).toBeLessThanOrEqual(before + 1)
})

test('a token of another key under the same name is refused', async () => {
  const { issuer: name, audience, keyId } = issuer
  const forger = await createTokenIssuer({ issuer: name, audience, keyId })
  expectProblem(await list(await forger.sign()), 401, 'unauthorized')
})

// These take as long as Herald leaves a key server alone after it has asked: half a minute each.
test('a new key is good before the old one goes, and the old one is refused when it is gone', async () => {
  const { issuer: name, audience } = issuer
  const [second, third] = [
    await createTokenIssuer({ issuer: name, audience }),
    await createTokenIssuer({ issuer: name, audience }),
  ]
  const becomesGood = async (next: TokenIssuer) =>
    eventually(async () => (await list(await next.sign())).status === 200, { within: 45_000, every: 250 })

  keys.serve({ keys: [...issuer.jwks.keys, ...second.jwks.keys] })
  await becomesGood(second)
  expect((await list(await issuer.sign())).status).toBe(200)

  keys.serve({ keys: [...second.jwks.keys, ...third.jwks.keys] })
  await becomesGood(third)
  expect((await list(await second.sign())).status).toBe(200)
  expectProblem(await list(await issuer.sign()), 401, 'unauthorized')
  issuer = second
}, 120_000)

test('while the key server is away known keys are good, and what is not known is not called wrong', async () => {
  await keys.stop()
  const stranger = await createTokenIssuer({ issuer: issuer.issuer, audience: issuer.audience })
  await eventually(async () => (await list(await stranger.sign())).status === 503, { within: 45_000, every: 250 })
  const answer = await list(await stranger.sign())
  expectProblem(answer, 503, 'authentication_unavailable')
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  for (let count = 0; count < 20; count++) expect((await list(await issuer.sign())).status).toBe(200)
}, 120_000)
