import { afterAll, describe, expect, test } from '@jest/globals'
import { authorized, createTestServer, jsonHeaders, readProblem } from './http-server.fixture.ts'

const id = '33333333-3333-4333-8333-333333333333'
const url = '/things/read'
const { app } = createTestServer()
afterAll(() => app.close())

function post(payload: string | Buffer, headers: Record<string, string> = {}) {
  return app.inject({ method: 'POST', url, headers: { ...jsonHeaders, ...headers }, payload })
}

describe('content types', () => {
  const payload = '{"name":"a","size":1}'

  test.each(['application/json', 'application/json;charset=utf-8', 'Application/JSON; charset="UTF-8"'])(
    '%s is accepted',
    async (type) => expect((await post(payload, { 'content-type': type })).statusCode).toBe(200),
  )

  test.each([
    'text/plain',
    'application/jsonp',
    'application/json; charset=latin1',
    'application/json; boundary=x',
    'application/merge-patch+json',
    'json',
    '',
  ])('"%s" returns 415', async (type) => {
    const response = await post(payload, { 'content-type': type })
    expect(readProblem(response)).toMatchObject({ statusCode: 415, code: 'unsupported_media_type' })
  })

  test('a missing one returns 415, with and without a body', async () => {
    for (const body of [payload, '']) {
      const response = await app.inject({ method: 'POST', url, headers: authorized, payload: Buffer.from(body) })
      expect(response.statusCode).toBe(415)
    }
  })

  test('a compressed body returns 415', async () => {
    expect((await post(payload, { 'content-encoding': 'gzip' })).statusCode).toBe(415)
  })
})

describe('returns 400 invalid_json for', () => {
  test.each([
    ['an open brace', '{'],
    ['a comment', '{"name":"a"} // b'],
    ['a latin-1 letter', Buffer.from([0x22, 0xe9, 0x22])],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ])('%s', async (_name, payload) => {
    expect(readProblem(await post(payload))).toMatchObject({ statusCode: 400, code: 'invalid_json' })
  })
})

test('returns 400 invalid_json for an empty body', async () => {
  expect(readProblem(await post(''))).toMatchObject({
    statusCode: 400,
    code: 'invalid_json',
    detail: 'The body is empty',
  })
})

describe('object keys', () => {
  test('are passed on unchanged and in order', async () => {
    const free = '{"z":1,"constructor":{"prototype":{"x":1}},"$set":{"a.b":[1]},"":null,"é":"\\u0000","toString":2}'
    const response = await post(`{"name":"a","size":1,"free":${free}}`)
    expect(response.statusCode).toBe(200)
    expect(response.body).toBe(`{"data":{"name":"a","size":1,"free":${free}}}`)
  })

  test('named __proto__ are rejected at any depth, each with its pointer', async () => {
    const response = await post('{"name":"a","size":1,"free":[{"__proto__":{}},{"b":{"__proto__":1}}]}')
    const errors = [{ pointer: '/free/0/__proto__' }, { pointer: '/free/1/b/__proto__' }]
    expect(readProblem(response)).toMatchObject({ statusCode: 400, code: 'validation_failed', errors })
  })
})

test('accepts 64 levels of nesting and rejects 65', async () => {
  const nested = (levels: number) => `{"name":"a","size":1,"free":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  expect((await post(nested(64))).statusCode).toBe(200)
  expect(readProblem(await post(nested(65)))).toMatchObject({ statusCode: 400, code: 'validation_failed' })
  expect((await post(nested(100_000))).statusCode).toBe(400)
})

test('accepts a body of exactly the limit, and returns 413 for one byte more', async () => {
  const body = (bytes: number) => `{"size":1,"name":"${'a'.repeat(bytes - 20)}"}`
  expect(Buffer.byteLength(body(262_144))).toBe(262_144)
  expect((await post(body(262_144))).statusCode).toBe(200)
  expect(readProblem(await post(body(262_145)))).toMatchObject({ statusCode: 413, code: 'body_too_large' })
})

test('uses the configured limit', async () => {
  const small = createTestServer({ bodyLimit: 10 }).app
  const response = await small.inject({ method: 'POST', url, headers: jsonHeaders, payload: '{"name":"abc"}' })
  expect(response.statusCode).toBe(413)
  await small.close()
})

describe('on a route without a body', () => {
  const patch = (payload: string, type = 'application/json') =>
    app.inject({
      method: 'PATCH',
      url: `/things/${id}/read`,
      headers: { ...authorized, 'content-type': type },
      payload: Buffer.from(payload),
    })

  test.each(['', '{}', ' { } '])('"%s" is ignored', async (payload) => {
    expect((await patch(payload)).statusCode).toBe(200)
    expect((await patch(payload, 'text/plain')).statusCode).toBe(200)
  })

  test.each(['{"a":1}', '{', 'null'])('"%s" returns 400', async (payload) => {
    expect(readProblem(await patch(payload))).toMatchObject({ statusCode: 400, code: 'invalid_request' })
  })

  test('the body of a GET is ignored', async () => {
    const response = await app.inject({ method: 'GET', url: '/', headers: jsonHeaders, payload: '{' })
    expect(response.statusCode).toBe(200)
  })
})
