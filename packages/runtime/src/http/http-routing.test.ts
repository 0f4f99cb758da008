import { afterAll, describe, expect, test } from '@jest/globals'
import { authorized, createTestServer, jsonHeaders, readProblem } from './http-server.fixture.ts'

const id = '33333333-3333-4333-8333-333333333333'
const { app } = createTestServer()
afterAll(() => app.close())

describe('an unknown path', () => {
  test.each(['/nothing', '/Public', '/public/', '/things/', `/things/${id}/`, `/things/${id}/unknown`, '//'])(
    '%s returns 404 without a token',
    async (url) => {
      const response = await app.inject({ url })
      expect(readProblem(response)).toMatchObject({ statusCode: 404, code: 'not_found', status: 404 })
      expect(response.headers.allow).toBeUndefined()
    },
  )

  test('returns 404 before its body is read', async () => {
    const response = await app.inject({ method: 'POST', url: '/nothing', headers: jsonHeaders, payload: '{' })
    expect(response.statusCode).toBe(404)
  })
})

describe('a known path with another method', () => {
  test.each([
    ['PUT', '/', 'GET, HEAD, POST'],
    ['DELETE', '/public', 'GET, HEAD'],
    ['PATCH', `/things/${id}`, 'GET, HEAD'],
    ['GET', `/things/${id}/read`, 'PATCH'],
    ['OPTIONS', '/things/read', 'POST'],
    ['PROPFIND', '/?limit=2', 'GET, HEAD, POST'],
    // Served by the other service, so this one leaves it out of Allow.
    ['POST', '/', 'GET, HEAD'],
  ])('%s %s returns 405 with Allow, without a token', async (method, url, allow) => {
    const response = await app.inject({ method: method as 'GET', url })
    expect(readProblem(response)).toMatchObject({ statusCode: 405, code: 'method_not_allowed', status: 405 })
    expect(response.headers.allow).toBe(allow)
  })

  test('returns 405 before its body is read', async () => {
    const response = await app.inject({ method: 'PUT', url: '/', headers: jsonHeaders, payload: '{' })
    expect(response.statusCode).toBe(405)
  })

  test('a literal path never matches a parameter', async () => {
    const response = await app.inject({ method: 'GET', url: '/things/read', headers: authorized })
    expect(response.statusCode).toBe(405)
    expect(response.headers.allow).toBe('POST')
  })
})

test('HEAD responds like GET, without a body', async () => {
  const response = await app.inject({ method: 'HEAD', url: '/', headers: authorized })
  expect([response.statusCode, response.body]).toEqual([200, ''])
  expect((await app.inject({ method: 'HEAD', url: '/' })).statusCode).toBe(401)
})

test('returns 400 for a malformed percent-encoding in the path', async () => {
  const response = await app.inject({ url: '/things/%ff', headers: { 'x-request-id': 'abc' } })
  expect(readProblem(response)).toMatchObject({ statusCode: 400, code: 'invalid_request', instance: 'abc' })
  expect(response.headers).toMatchObject({ 'x-request-id': 'abc', 'cache-control': 'no-store' })
})

test('returns 400 for a long id, and 414 for an extremely long one', async () => {
  const long = await app.inject({ url: `/things/${'a'.repeat(500)}`, headers: authorized })
  expect(readProblem(long)).toMatchObject({ statusCode: 400, errors: [{ pointer: '/id', detail: 'Must be a UUID' }] })
  const absurd = await app.inject({ url: `/things/${'a'.repeat(5_000)}`, headers: authorized })
  expect(readProblem(absurd)).toMatchObject({ statusCode: 414, code: 'uri_too_long' })
})
