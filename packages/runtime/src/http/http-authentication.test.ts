import { afterAll, describe, expect, test } from '@jest/globals'
import { authorized, createTestServer, identity, readProblem } from './http-server.fixture.ts'

const { app, lines } = createTestServer()
afterAll(() => app.close())

test('a valid token lets in, and tells who calls', async () => {
  const answer = await app.inject({ url: '/', headers: authorized })
  expect(answer.json()).toEqual({ userId: identity.userId, query: {} })
})

test('without a token it is 401, and the challenge names no error', async () => {
  const answer = await app.inject({ url: '/' })
  expect(readProblem(answer)).toMatchObject({ statusCode: 401, code: 'unauthorized' })
  expect(answer.headers['www-authenticate']).toBe('Bearer realm="herald"')
})

test('with a token that is refused it is 401 invalid_token', async () => {
  const answer = await app.inject({ url: '/', headers: { authorization: 'Bearer old' } })
  expect(readProblem(answer)).toMatchObject({ statusCode: 401, detail: 'The token has expired' })
  expect(answer.headers['www-authenticate']).toBe(
    'Bearer realm="herald", error="invalid_token", error_description="The token has expired"',
  )
})

test('when the keys cannot be had it is 503, and the cause is logged and not told', async () => {
  const answer = await app.inject({ url: '/', headers: { authorization: 'Bearer away' } })
  expect(readProblem(answer)).toMatchObject({ statusCode: 503, code: 'authentication_unavailable' })
  expect(answer.headers['retry-after']).toBe('5')
  expect(answer.body).not.toContain('ECONNREFUSED')
  expect(JSON.stringify(lines)).toContain('ECONNREFUSED')
})

describe('a scope', () => {
  test('lets in who has it', async () => {
    expect((await app.inject({ url: '/scoped', headers: authorized })).statusCode).toBe(200)
  })

  test('keeps out who lacks it: 403, and it is named', async () => {
    const answer = await app.inject({ url: '/locked', headers: authorized })
    expect(readProblem(answer)).toMatchObject({ statusCode: 403, code: 'missing_scope' })
    expect(readProblem(answer).detail).toContain('things:write')
    expect(answer.headers['www-authenticate']).toContain('error="insufficient_scope", scope="things:write"')
  })

  test('does not matter before the token: 401', async () => {
    expect((await app.inject({ url: '/locked' })).statusCode).toBe(401)
  })
})

test('a public route needs no token and has no identity', async () => {
  expect((await app.inject({ url: '/public', headers: { authorization: 'Bearer old' } })).statusCode).toBe(200)
  expect((await app.inject({ url: '/public-identity', headers: authorized })).statusCode).toBe(500)
})

test('a bad token comes before a bad body, a bad content type, a bad query and a bad path', async () => {
  const payload = 'x'.repeat(300_000)
  for (const url of ['/things/read', '/things/read?a=1']) {
    expect((await app.inject({ method: 'POST', url, payload })).statusCode).toBe(401)
  }
  expect((await app.inject({ url: '/things/nonsense' })).statusCode).toBe(401)
})
