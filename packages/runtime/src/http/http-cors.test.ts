import { afterAll, describe, expect, test } from '@jest/globals'
import { authorized, createTestServer, readProblem } from './http-server.fixture.ts'

const origin = 'https://app.example'
const { app } = createTestServer({ corsOrigins: [origin, 'http://localhost:5173'], rateLimitPerMinute: 100 })
app.get('/varied', { config: { public: true } }, async (_request, reply) => reply.header('vary', 'Accept').send('x'))
afterAll(() => app.close())

const corsHeaders = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))
const exposed = 'etag, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-request-id'

function preflight(url: string, headers: Record<string, string> = {}, server = app) {
  return server.inject({
    method: 'OPTIONS',
    url,
    headers: { origin, 'access-control-request-method': 'GET', ...headers },
  })
}

describe('a response to an allowed origin', () => {
  test.each([
    ['a success', '/', authorized, 200],
    ['no token', '/', {}, 401],
    ['a missing scope', '/locked', authorized, 403],
    ['an unknown path', '/nothing', {}, 404],
    ['a malformed path', '/%ff', {}, 400],
    ['an internal error', '/fails', authorized, 500],
  ])('%s is readable', async (_name, url, headers, status) => {
    const response = await app.inject({ url, headers: { ...headers, origin } })
    expect(response.statusCode).toBe(status)
    expect(response.headers.vary).toBe('Origin')
    expect(corsHeaders(response.headers)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': exposed,
    })
  })

  test('too many requests is readable', async () => {
    const { app: other } = createTestServer({ corsOrigins: [origin], rateLimitPerMinute: 1 })
    const headers = { ...authorized, origin }
    await other.inject({ url: '/', headers })
    const response = await other.inject({ url: '/', headers })
    expect([response.statusCode, response.headers['access-control-allow-origin']]).toEqual([429, origin])
    await other.close()
  })

  test('keeps other fields of Vary', async () => {
    const response = await app.inject({ url: '/varied', headers: { origin } })
    expect(response.headers.vary).toBe('Accept, Origin')
  })
})

test.each([
  ['another origin', 'https://evil.example'],
  ['an origin with an allowed prefix', 'https://app.example.evil.example'],
  ['an origin in upper case', 'HTTPS://APP.EXAMPLE'],
  ['an opaque origin', 'null'],
])('does not allow %s, and still sends Vary', async (_name, other) => {
  const response = await app.inject({ url: '/', headers: { ...authorized, origin: other } })
  expect([response.statusCode, response.headers.vary]).toEqual([200, 'Origin'])
  expect(corsHeaders(response.headers)).toEqual({})
})

test('sends no CORS headers to a request without an origin', async () => {
  const response = await app.inject({ url: '/', headers: authorized })
  expect([corsHeaders(response.headers), response.headers.vary]).toEqual([{}, 'Origin'])
})

describe('a preflight', () => {
  test.each([
    ['/', 'GET, HEAD, POST'],
    ['/things/read?x=1', 'POST'],
    // The actual request is rejected, with a response that the page can read.
    ['/nothing', 'DELETE, GET, HEAD, PATCH, POST, PUT'],
  ])('to %s succeeds without a token', async (url, methods) => {
    const response = await preflight(url)
    expect([response.statusCode, response.body, response.headers.vary]).toEqual([204, '', 'Origin'])
    expect(corsHeaders(response.headers)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': exposed,
      'access-control-allow-methods': methods,
      'access-control-allow-headers':
        'authorization, content-type, idempotency-key, if-none-match, last-event-id, x-request-id',
      'access-control-max-age': '7200',
    })
  })

  test('gets the headers that it asks for, such as those of tracing libraries', async () => {
    const asked = 'authorization,baggage,sentry-trace,traceparent,tracestate,x-datadog-origin,x-requested-with'
    const { headers } = await preflight('/', { 'access-control-request-headers': asked })
    expect(headers['access-control-allow-headers']).toBe(asked)
  })

  test('from another origin returns 405', async () => {
    const response = await preflight('/', { origin: 'https://evil.example' })
    expect([readProblem(response).code, response.headers.allow]).toEqual(['method_not_allowed', 'GET, HEAD, POST'])
    expect(corsHeaders(response.headers)).toEqual({})
  })

  test('is not any other OPTIONS request', async () => {
    const response = await app.inject({ method: 'OPTIONS', url: '/', headers: { origin } })
    expect(response.statusCode).toBe(405)
  })
})

test('sends no CORS headers when no origins are configured', async () => {
  const { app: closed } = createTestServer()
  expect((await preflight('/', {}, closed)).statusCode).toBe(405)
  expect((await preflight('/nothing', {}, closed)).statusCode).toBe(404)
  for (const response of [
    await preflight('/', {}, closed),
    await closed.inject({ url: '/', headers: { ...authorized, origin } }),
  ]) {
    expect([corsHeaders(response.headers), response.headers.vary]).toEqual([{}, undefined])
  }
  await closed.close()
})
