import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { authorized, createTestServer } from './http-server.fixture.ts'
import { problem } from './problem.ts'

const { app } = createTestServer({ corsOrigins: ['https://app.example'] })
let body = '{"data":{"unreadCount":1}}'
app.get('/tagged', { config: { etag: true } }, async (_request, reply) => reply.type('application/json').send(body))
app.get('/tagged-object', { config: { etag: true } }, async () => ({ data: { unreadCount: 1 } }))
app.get('/tagged-gone', { config: { etag: true } }, async () => {
  throw problem('not_found', 'No thing has this id')
})
afterAll(() => app.close())

const ask = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET', url = '/tagged') =>
  app.inject({ method, url, headers: { ...authorized, ...headers } })

let tag: string
beforeAll(async () => {
  tag = String((await ask()).headers.etag)
})

test('sends a strong tag and allows only private caching with revalidation', async () => {
  const { statusCode, headers } = await ask()
  expect([statusCode, headers.etag]).toEqual([200, tag])
  expect(tag).toMatch(/^"[\w-]{43}"$/)
  expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Origin, Authorization' })
})

test('sends the same tag for the same body, and another for another', async () => {
  expect((await ask({}, 'GET', '/tagged-object')).headers.etag).toBe(tag)
  body = '{"data":{"unreadCount":2}}'
  const other = await ask({ 'if-none-match': tag })
  expect([other.statusCode, other.headers.etag === tag]).toEqual([200, false])
  body = '{"data":{"unreadCount":1}}'
})

describe('a conditional request', () => {
  test.each([
    ['the tag', () => tag],
    ['the tag as a weak one', () => `W/${tag}`],
    ['a list', () => `"other", W/"x,y" ,${tag}`],
    ['a wildcard', () => '*'],
  ])('with %s gets 304 without a body', async (_name, value) => {
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers, body: sent } = await ask({ 'if-none-match': value() }, method)
      expect([statusCode, sent, headers.etag]).toEqual([304, '', tag])
      expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Origin, Authorization' })
      expect(headers['content-type']).toBeUndefined()
    }
  })

  test.each([
    ['another tag', () => '"other"'],
    ['a tag without quotes', () => tag.slice(1, -1)],
    ['a part of the tag', () => `${tag.slice(0, 5)}"`],
    ['nothing', () => ''],
  ])('with %s gets 200', async (_name, value) => {
    const { statusCode, body: sent } = await ask({ 'if-none-match': value() })
    expect([statusCode, sent]).toEqual([200, body])
  })

  test('without a token gets 401', async () => {
    const response = await app.inject({ url: '/tagged', headers: { 'if-none-match': tag } })
    expect([response.statusCode, response.headers.etag]).toEqual([401, undefined])
  })
})

test('HEAD returns the tag and the length of GET', async () => {
  const { statusCode, headers, body: sent } = await ask({}, 'HEAD')
  expect([statusCode, sent, headers.etag, headers['content-length']]).toEqual([200, '', tag, '26'])
})

test('sends no tag with problems, and none on routes without etag', async () => {
  const gone = await ask({ 'if-none-match': '*' }, 'GET', '/tagged-gone')
  expect([gone.statusCode, gone.headers.etag, gone.headers['cache-control']]).toEqual([404, undefined, 'no-store'])
  expect((await ask({ 'if-none-match': '*' }, 'GET', '/')).headers.etag).toBeUndefined()
})
