import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { guarded } from '../support/api-operations.ts'
import { createBody } from '../support/create-body.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { send } from '../support/http-client.ts'
import { createInvalidTokens, createRsaKey } from '../support/invalid-tokens.ts'
import { expectProblem } from '../support/problem.ts'
import { expectUnauthorized } from '../support/unauthorized.ts'

let herald: TestHerald
beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

test.each(createInvalidTokens(() => herald.tokens))('every operation returns 401 for $name', async ({ make }) => {
  await expectUnauthorized(herald.baseUrl, await make())
})

test('every operation returns 401 for a token signed with an RSA key that is not configured', async () => {
  await expectUnauthorized(herald.baseUrl, await createRsaKey(herald.tokens).sign())
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
