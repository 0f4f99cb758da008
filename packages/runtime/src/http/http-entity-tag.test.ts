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

test('an answer has a strong tag and may be kept by its reader alone, if he asks again', async () => {
  const { statusCode, headers } = await ask()
  expect([statusCode, headers.etag]).toEqual([200, tag])
  expect(tag).toMatch(/^"[\w-]{43}"$/)
  expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Origin, Authorization' })
})

test('the same body has the same tag, another body another', async () => {
  expect((await ask({}, 'GET', '/tagged-object')).headers.etag).toBe(tag)
  body = '{"data":{"unreadCount":2}}'
  const other = await ask({ 'if-none-match': tag })
  expect([other.statusCode, other.headers.etag === tag]).toEqual([200, false])
  body = '{"data":{"unreadCount":1}}'
})

describe('who has it already', () => {
  test.each([
    ['the tag', () => tag],
    ['the tag as a weak one', () => `W/${tag}`],
    ['a list', () => `"other", W/"x,y" ,${tag}`],
    ['any', () => '*'],
  ])('and says so by %s gets 304 without a body', async (_name, value) => {
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
    ['a part of it', () => `${tag.slice(0, 5)}"`],
    ['nothing', () => ''],
  ])('but says %s gets 200', async (_name, value) => {
    const { statusCode, body: sent } = await ask({ 'if-none-match': value() })
    expect([statusCode, sent]).toEqual([200, body])
  })

  test('still needs a token', async () => {
    const answer = await app.inject({ url: '/tagged', headers: { 'if-none-match': tag } })
    expect([answer.statusCode, answer.headers.etag]).toEqual([401, undefined])
  })
})

test('HEAD tells the tag and the length of what GET sends', async () => {
  const { statusCode, headers, body: sent } = await ask({}, 'HEAD')
  expect([statusCode, sent, headers.etag, headers['content-length']]).toEqual([200, '', tag, '26'])
})

test('a problem has no tag, and neither has a route that does not ask for it', async () => {
  const gone = await ask({ 'if-none-match': '*' }, 'GET', '/tagged-gone')
  expect([gone.statusCode, gone.headers.etag, gone.headers['cache-control']]).toEqual([404, undefined, 'no-store'])
  expect((await ask({ 'if-none-match': '*' }, 'GET', '/')).headers.etag).toBeUndefined()
})
