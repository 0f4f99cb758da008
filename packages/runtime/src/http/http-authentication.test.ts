import { afterAll, describe, expect, test } from '@jest/globals'
import { authorized, createTestServer, identity, readProblem } from './http-server.fixture.ts'

const { app, lines } = createTestServer()
afterAll(() => app.close())

test('accepts a valid token and provides the identity', async () => {
  const response = await app.inject({ url: '/', headers: authorized })
  expect(response.json()).toEqual({ userId: identity.userId, query: {} })
})

test('returns 401 without a token, with a challenge that has no error', async () => {
  const response = await app.inject({ url: '/' })
  expect(readProblem(response)).toMatchObject({ statusCode: 401, code: 'unauthorized' })
  expect(response.headers['www-authenticate']).toBe('Bearer realm="herald"')
})

test('returns 401 invalid_token for an invalid token', async () => {
  const response = await app.inject({ url: '/', headers: { authorization: 'Bearer old' } })
  expect(readProblem(response)).toMatchObject({ statusCode: 401, detail: 'The token has expired' })
  expect(response.headers['www-authenticate']).toBe(
    'Bearer realm="herald", error="invalid_token", error_description="The token has expired"',
  )
})

test('returns 503 when signing keys are unavailable, and logs the cause without sending it', async () => {
  const response = await app.inject({ url: '/', headers: { authorization: 'Bearer away' } })
  expect(readProblem(response)).toMatchObject({ statusCode: 503, code: 'authentication_unavailable' })
  expect(response.headers['retry-after']).toBe('5')
  expect(response.body).not.toContain('ECONNREFUSED')
  expect(JSON.stringify(lines)).toContain('ECONNREFUSED')
})

test('returns the seconds after which keys may be fetched again', async () => {
  const { app: later } = createTestServer({
    authenticator: { authenticate: async () => ({ ok: false, reason: 'unavailable', cause: 0, retryAfterMs: 1_200 }) },
  })
  const response = await later.inject({ url: '/', headers: authorized })
  expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '2'])
  await later.close()
})

test('a claim’s name is sent whole, and in the challenge without what a header cannot hold', async () => {
  const detail = 'The claim "größe" is missing'
  const { app: named } = createTestServer({
    authenticator: { authenticate: async () => ({ ok: false, reason: 'invalid', detail }) },
  })
  const response = await named.inject({ url: '/', headers: authorized })
  expect(readProblem(response)).toMatchObject({ statusCode: 401, detail })
  expect(response.headers['www-authenticate']).toContain('error_description="The claim ?gr??e? is missing"')
  await named.close()
})

describe('a scope', () => {
  test('is missing in a claim of another form, which the 403 names', async () => {
    const scopeFault = 'the claim scp is an object'
    const other = { ...identity, scopes: new Set<string>(), scopeFault }
    const { app: formed } = createTestServer({
      authenticator: { authenticate: async () => ({ ok: true, identity: other }) },
    })
    const response = await formed.inject({ url: '/scoped', headers: authorized })
    expect(readProblem(response)).toMatchObject({
      statusCode: 403,
      detail: `The token lacks the scope things:read; ${scopeFault}`,
    })
    await formed.close()
  })

  test('is sufficient if the token has it', async () => {
    expect((await app.inject({ url: '/scoped', headers: authorized })).statusCode).toBe(200)
  })

  test('that is missing is named in a 403', async () => {
    const response = await app.inject({ url: '/locked', headers: authorized })
    expect(readProblem(response)).toMatchObject({ statusCode: 403, code: 'missing_scope' })
    expect(readProblem(response).detail).toContain('things:write')
    expect(response.headers['www-authenticate']).toContain('error="insufficient_scope", scope="things:write"')
  })

  test('is checked after the token: 401', async () => {
    expect((await app.inject({ url: '/locked' })).statusCode).toBe(401)
  })
})

test('serves a public route without a token and without an identity', async () => {
  expect((await app.inject({ url: '/public', headers: { authorization: 'Bearer old' } })).statusCode).toBe(200)
  expect((await app.inject({ url: '/public-identity', headers: authorized })).statusCode).toBe(500)
})

test('returns 401 before errors of body, content type, query and path', async () => {
  const payload = 'x'.repeat(300_000)
  for (const url of ['/things/read', '/things/read?a=1']) {
    expect((await app.inject({ method: 'POST', url, payload })).statusCode).toBe(401)
  }
  expect((await app.inject({ url: '/things/nonsense' })).statusCode).toBe(401)
})
