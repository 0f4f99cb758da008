import { createHmac, randomUUID } from 'node:crypto'
import { createTokenIssuer, type TokenClaims, type TokenOverrides } from '@herald/local-stack'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBody } from './create-body.ts'
import { startTestHerald, type TestHerald } from './herald.ts'
import { send } from './http-client.ts'
import { expectProblem } from './problem.ts'

let herald: TestHerald

beforeAll(async () => {
  herald = await startTestHerald('tokens')
})
afterAll(() => herald?.stop())

const requests = [
  { method: 'POST', path: '/', json: createBody([randomUUID()]) },
  { method: 'GET', path: '/' },
  { method: 'GET', path: `/notifications/${randomUUID()}` },
  { method: 'PATCH', path: `/notifications/${randomUUID()}/read` },
  { method: 'PATCH', path: `/notifications/${randomUUID()}/unread` },
  { method: 'GET', path: '/change-entries/all' },
]

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claimsOf = async () => {
  const [, payload = ''] = (await herald.tokens.sign()).split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

/** Another issuer that claims to be the one Herald trusts: same name, same key id, another key. */
async function forged() {
  const { issuer, audience, keyId } = herald.tokens
  return (await createTokenIssuer({ issuer, audience, keyId })).sign()
}

async function withoutAlgorithm(alg: string) {
  return `${base64({ alg, typ: 'JWT', kid: herald.tokens.keyId })}.${base64(await claimsOf())}.`
}

/** Signed with the public key as if it were a shared secret. */
async function confused() {
  const signed = `${base64({ alg: 'HS256', typ: 'JWT', kid: herald.tokens.keyId })}.${base64(await claimsOf())}`
  return `${signed}.${createHmac('sha256', herald.tokens.publicKeyPem).update(signed).digest('base64url')}`
}

async function changed() {
  const [header, , signature] = (await herald.tokens.sign()).split('.')
  return `${header}.${base64({ ...(await claimsOf()), sub: randomUUID() })}.${signature}`
}

const signed =
  (claims: TokenClaims, overrides: TokenOverrides = {}) =>
  () =>
    herald.tokens.sign(claims, overrides)

const refused: [string, () => Promise<string> | string | undefined][] = [
  ['no token', () => undefined],
  ['garbage', () => 'garbage'],
  ['three parts of garbage', () => 'a.b.c'],
  ['an expired token', signed({}, { expiresIn: -60 })],
  ['a token that never expires', signed({}, { expiresIn: null })],
  ['a token that is not valid yet', signed({}, { notBefore: 90 })],
  ['a token of a foreign key', forged],
  ['a token for another audience', signed({}, { audience: 'other' })],
  ['a token of another issuer', signed({}, { issuer: 'https://other.invalid/' })],
  ['a token whose algorithm is none', () => withoutAlgorithm('none')],
  ['a token whose algorithm is nOnE', () => withoutAlgorithm('nOnE')],
  ['a token signed with the public key', confused],
  ['a token whose claims were changed', changed],
  ['a token without a subscriber', signed({ subscriber_id: undefined })],
  ['a token whose subscriber is no UUID', signed({ subscriber_id: 'acme' })],
  ['a token without a sub', signed({ sub: undefined })],
  ['a token whose sub is no UUID', signed({ sub: 'ada@mail.example' })],
]

test.each(refused)('%s is answered with 401 wherever one asks', async (_, token) => {
  for (const { path, ...request } of requests) {
    const answer = await send(`${herald.baseUrl}${path}`, { ...request, token: await token() })
    expectProblem(answer, 401, 'unauthorized')
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
  }
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

test('a token without the scope of a request is answered with 403, and does all that needs none', async () => {
  const nothing = await herald.newUser({ scope: undefined })
  const other = await herald.newUser({ scope: 'change-entries:read notifications:creates xnotifications:create' })
  for (const user of [nothing, other]) expectProblem(await user.post('/', createBody([user.id])), 403, 'missing_scope')
  expectProblem(await nothing.get('/change-entries/all'), 403, 'missing_scope')
  expect((await nothing.get('/')).status).toBe(200)
  expect((await nothing.patch(`/notifications/${randomUUID()}/read`)).status).toBe(404)
})

test('an actor type other than the token’s is answered with 403, either way round', async () => {
  const [person, machine] = [await herald.newUser(), await herald.newUser({ actor_type: 'ai user' })]
  const body = (actorType: string) => createBody([randomUUID()], { actorType })
  expectProblem(await person.post('/', body('ai user')), 403, 'actor_type_mismatch')
  expectProblem(await machine.post('/', body('user')), 403, 'actor_type_mismatch')
  expect((await machine.post('/', body('ai user'))).status).toBe(201)
})
