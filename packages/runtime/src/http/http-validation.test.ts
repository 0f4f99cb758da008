import { afterAll, describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { authorized, createTestServer, jsonHeaders, readProblem } from './http-server.fixture.ts'

const { app } = createTestServer()
afterAll(() => app.close())

const post = (body: unknown, url = '/things/read') =>
  app.inject({ method: 'POST', url, headers: jsonHeaders, payload: JSON.stringify(body) })

test('reports all errors of body and query at once', async () => {
  const response = await post({ size: '1', 'a/b~c': 1, extra: 2 }, '/things/read?limit=x&page=2')
  const problem = readProblem(response)
  expect(problem).toMatchObject({
    statusCode: 400,
    contentType: 'application/problem+json; charset=utf-8',
    type: 'urn:herald:problem:validation_failed',
    code: 'validation_failed',
    detail: 'The request has 6 validation errors',
  })
  expect(problem.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(
    ['/a~1b~0c', '/extra', '/limit', '/name', '/page', '/size'].sort(),
  )
  expect(problem.errors).toContainEqual({ pointer: '/name', detail: 'Required' })
})

describe('does not coerce', () => {
  test.each([
    [{ name: ['a'], size: 1 }, '/name'],
    [{ name: 'a', size: '1' }, '/size'],
    [{ name: 1, size: 1 }, '/name'],
    [{ name: 'a', size: true }, '/size'],
    [{ name: null, size: 1 }, '/name'],
  ])('%j', async (body, pointer) => {
    const problem = readProblem(await post(body))
    expect([problem.statusCode, problem.errors.length, problem.errors[0].pointer]).toEqual([400, 1, pointer])
  })

  test.each([[[]], ['text'], [1], [null]])('a body %j that is not an object', async (body) => {
    expect(readProblem(await post(body))).toMatchObject({ statusCode: 400, errors: [{ pointer: '' }] })
  })
})

describe('the query', () => {
  test('is passed to the handler as parsed', async () => {
    expect((await app.inject({ url: '/?limit=20', headers: authorized })).json().query).toEqual({ limit: 20 })
  })

  test.each([
    ['/?limit=1&limit=2', '/limit'],
    ['/?nothing', '/nothing'],
    ['/?__proto__=1', '/__proto__'],
    ['/?constructor=1', '/constructor'],
    ['/?limit[]=1', '/limit[]'],
    ['/scoped?a=1', '/a'],
  ])('%s is rejected', async (url, pointer) => {
    const problem = readProblem(await app.inject({ url, headers: authorized }))
    expect(problem).toMatchObject({ statusCode: 400, code: 'validation_failed', errors: [{ pointer }] })
  })

  test('with a malformed percent-encoding returns 400', async () => {
    expect((await app.inject({ url: '/?limit=%ff%', headers: authorized })).statusCode).toBe(400)
  })

  test('of a public route without a schema is ignored', async () => {
    expect((await app.inject({ url: '/public?v=1' })).statusCode).toBe(200)
  })
})

test('validates headers by name', async () => {
  const { app: other } = createTestServer()
  const headers = z.looseObject({ 'idempotency-key': z.string().max(3, { error: 'Too long' }).optional() })
  other.get('/keyed', { schema: { headers } }, async (request) => ({ key: request.headers['idempotency-key'] }))
  const get = (key: string) => other.inject({ url: '/keyed', headers: { ...authorized, 'idempotency-key': key } })
  expect((await get('abc')).json()).toEqual({ key: 'abc' })
  const errors = [{ pointer: '/idempotency-key', detail: 'Too long' }]
  expect(readProblem(await get('abcd'))).toMatchObject({ statusCode: 400, errors })
  await other.close()
})

test('reports the first 100 errors when there are more than a call can have arguments', async () => {
  const { app: other } = createTestServer()
  const body = z.strictObject({ items: z.array(z.string()) })
  other.post('/many', { schema: { body } }, async () => ({}))
  const payload = JSON.stringify({ items: Array(131_000).fill(0) })
  const problem = readProblem(await other.inject({ method: 'POST', url: '/many', headers: jsonHeaders, payload }))
  expect([problem.statusCode, problem.errors.length]).toEqual([400, 100])
  await other.close()
})

test('throws at route registration for a schema that is not from zod', () => {
  const { app: other } = createTestServer()
  expect(() => other.get('/wrong', { schema: { querystring: { type: 'object' } } }, async () => ({}))).toThrow(/zod/)
})

test.each([
  ['with unknown fields below a long key', { ['k'.repeat(200_000)]: 1, name: 1 }],
  ['of nothing but unknown fields', Object.fromEntries(Array.from({ length: 12_000 }, (_, n) => [`\u0001${n}`, n]))],
  [
    'of what cannot be kept below a long key',
    JSON.parse(`{"${'\u0080'.repeat(100_000)}":[${Array(5_000).fill('1e999')}]}`),
  ],
])('the response to a body %s stays below 64 KiB', async (_, body) => {
  const payload = JSON.stringify(body).replaceAll('null', '1e999')
  const response = await app.inject({ method: 'POST', url: '/things/read', headers: jsonHeaders, payload })
  expect(response.statusCode).toBe(400)
  expect(response.rawPayload.length).toBeLessThan(64 * 1024)
  expect(response.json().errors.length).toBeGreaterThan(0)
})
