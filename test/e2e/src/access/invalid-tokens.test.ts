import { randomUUID } from 'node:crypto'
import { type StartedKeyServer, startKeyServer } from '@herald/local-stack'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { guarded } from '../support/api-operations.ts'
import { createBody } from '../support/create-body.ts'
import { startTestHerald, type TestHerald } from '../support/herald.ts'
import { send } from '../support/http-client.ts'
import { createRsaKey, createWrongTokens } from '../support/invalid-tokens.ts'
import { expectProblem } from '../support/problem.ts'

let herald: TestHerald
let keys: StartedKeyServer
let withKeySet: TestHerald
let rsa: ReturnType<typeof createRsaKey>

beforeAll(async () => {
  herald = await startTestHerald('tokens')
  // The same issuer's keys, as a set that has one of RSA beside them.
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

/** What each operation answers to a token: nothing but 401, in its one form, and a challenge. */
async function expectRefusedEverywhere({ baseUrl }: TestHerald, token: string | undefined) {
  for (const { path, method, json } of guarded) {
    const answer = await send(`${baseUrl}${path}`, { method, json, token })
    expect([method, path, answer.status]).toEqual([method, path, 401])
    expectProblem(answer, 401, 'unauthorized')
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
  }
}

const wrongTokens = createWrongTokens(() => herald.tokens)

test.each(wrongTokens)('$what is answered with 401 by every operation', async ({ make }) => {
  await expectRefusedEverywhere(herald, await make())
})

test.each(wrongTokens)('$what is answered with 401 by every operation, with keys from a set', async ({ make }) => {
  await expectRefusedEverywhere(withKeySet, await make())
})

test('a token signed with a public key of RSA as a secret is refused, one that is signed with the private one is good', async () => {
  await expectRefusedEverywhere(withKeySet, await rsa.confuse())
  await expectRefusedEverywhere(herald, await rsa.sign())
  expect((await send(`${withKeySet.baseUrl}/`, { token: await rsa.sign() })).status).toBe(200)
})

test.each([
  ['in another scheme', (token: string) => ({ authorization: `Basic ${token}` })],
  ['with nothing before it', (token: string) => ({ authorization: token })],
  ['in a header of another name', (token: string) => ({ 'x-authorization': `Bearer ${token}` })],
  ['in a cookie', (token: string) => ({ cookie: `token=${token}` })],
])('a good token %s is answered with 401', async (_, headers) => {
  const answer = await send(`${herald.baseUrl}/`, { headers: headers(await herald.tokens.sign()) })
  expectProblem(answer, 401, 'unauthorized')
})

test('a token in the address is no token', async () => {
  const token = await herald.tokens.sign()
  expectProblem(await send(`${herald.baseUrl}/?access_token=${token}`), 401, 'unauthorized')
})

test('clocks may differ by half a minute', async () => {
  for (const overrides of [{ expiresIn: -15 }, { notBefore: 15 }]) {
    const token = await herald.tokens.sign({}, overrides)
    expect((await send(`${herald.baseUrl}/`, { token })).status).toBe(200)
  }
})

test('without a scope just those operations are refused, with 403, that ask for it', async () => {
  const nothing = await herald.newUser({ scope: undefined })
  const similar = await herald.newUser({ scope: 'change-entries:reads notifications:creates xnotifications:create' })
  for (const user of [nothing, similar]) {
    for (const { method, path, json, scope } of guarded) {
      // The head alone of the stream, which would not end.
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

test('one scope does not stand for the other', async () => {
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

test('an actor type other than the token’s is answered with 403, either way round', async () => {
  const [person, machine] = [await herald.newUser(), await herald.newUser({ actor_type: 'ai user' })]
  const body = (actorType: string) => createBody([randomUUID()], { actorType })
  expectProblem(await person.post('/', body('ai user')), 403, 'actor_type_mismatch')
  expectProblem(await machine.post('/', body('user')), 403, 'actor_type_mismatch')
  expect((await machine.post('/', body('ai user'))).status).toBe(201)
})
