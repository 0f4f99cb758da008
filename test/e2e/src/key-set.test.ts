import { createTokenIssuer, type StartedKeyServer, startKeyServer, type TokenIssuer } from '@herald/local-stack'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startTestHerald, type TestHerald } from './herald.ts'
import { send } from './http-client.ts'
import { expectProblem } from './problem.ts'

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
  await keys?.stop()
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
