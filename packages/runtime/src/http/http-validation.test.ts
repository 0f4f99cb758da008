import { afterAll, describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { authorized, createTestServer, jsonHeaders, readProblem } from './http-server.fixture.ts'

const { app } = createTestServer()
afterAll(() => app.close())

const post = (body: unknown, url = '/things/read') =>
  app.inject({ method: 'POST', url, headers: jsonHeaders, payload: JSON.stringify(body) })

test('every fault of the body and of the query is told at once', async () => {
  const answer = await post({ size: '1', 'a/b~c': 1, extra: 2 }, '/things/read?limit=x&page=2')
  const problem = readProblem(answer)
  expect(problem).toMatchObject({
    statusCode: 400,
    contentType: 'application/problem+json; charset=utf-8',
    type: 'urn:herald:problem:validation_failed',
    code: 'validation_failed',
    detail: '6 parts of the request are not valid',
  })
  expect(problem.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(
    ['/a~1b~0c', '/extra', '/limit', '/name', '/page', '/size'].sort(),
  )
  expect(problem.errors).toContainEqual({ pointer: '/name', detail: 'Required' })
})

describe('nothing is coerced', () => {
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

  test.each([[[]], ['text'], [1], [null]])('a body %j that is no object', async (body) => {
    expect(readProblem(await post(body))).toMatchObject({ statusCode: 400, errors: [{ pointer: '' }] })
  })
})

describe('the query', () => {
  test('is handed over as the schema made it', async () => {
    expect((await app.inject({ url: '/?limit=20', headers: authorized })).json().query).toEqual({ limit: 20 })
  })

  test.each([
    ['/?limit=1&limit=2', '/limit'],
    ['/?nothing', '/nothing'],
    ['/?__proto__=1', '/__proto__'],
    ['/?constructor=1', '/constructor'],
    ['/?limit[]=1', '/limit[]'],
    ['/scoped?a=1', '/a'],
  ])('%s is refused', async (url, pointer) => {
    const problem = readProblem(await app.inject({ url, headers: authorized }))
    expect(problem).toMatchObject({ statusCode: 400, code: 'validation_failed', errors: [{ pointer }] })
  })

  test('with a malformed percent-encoding is refused and not 500', async () => {
    expect((await app.inject({ url: '/?limit=%ff%', headers: authorized })).statusCode).toBe(400)
  })

  test('of a public route without a schema does not matter', async () => {
    expect((await app.inject({ url: '/public?v=1' })).statusCode).toBe(200)
  })
})

test('header fields are validated by name', async () => {
  const { app: other } = createTestServer()
  const headers = z.looseObject({ 'idempotency-key': z.string().max(3, { error: 'Is too long' }).optional() })
  other.get('/keyed', { schema: { headers } }, async (request) => ({ key: request.headers['idempotency-key'] }))
  const get = (key: string) => other.inject({ url: '/keyed', headers: { ...authorized, 'idempotency-key': key } })
  expect((await get('abc')).json()).toEqual({ key: 'abc' })
  const errors = [{ pointer: '/idempotency-key', detail: 'Is too long' }]
  expect(readProblem(await get('abcd'))).toMatchObject({ statusCode: 400, errors })
  await other.close()
})

test('more faults than a call can have arguments are answered with the first hundred', async () => {
  const { app: other } = createTestServer()
  const body = z.strictObject({ items: z.array(z.string()) })
  other.post('/many', { schema: { body } }, async () => ({}))
  const payload = JSON.stringify({ items: Array(131_000).fill(0) })
  const problem = readProblem(await other.inject({ method: 'POST', url: '/many', headers: jsonHeaders, payload }))
  expect([problem.statusCode, problem.errors.length]).toEqual([400, 100])
  await other.close()
})

test('a schema that is not of zod is a mistake that is found at the start', () => {
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
])('the answer to a body %s stays below 64 KiB', async (_, body) => {
  const payload = JSON.stringify(body).replaceAll('null', '1e999')
  const answer = await app.inject({ method: 'POST', url: '/things/read', headers: jsonHeaders, payload })
  expect(answer.statusCode).toBe(400)
  expect(answer.rawPayload.length).toBeLessThan(64 * 1024)
  expect(answer.json().errors.length).toBeGreaterThan(0)
})
