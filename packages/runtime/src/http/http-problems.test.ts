import { Readable } from 'node:stream'
import { afterAll, describe, expect, test } from '@jest/globals'
import { OverBudget } from '../shares/budget.ts'
import { authorized, createTestServer, identity, readProblem } from './http-server.fixture.ts'
import { problem } from './problem.ts'

class StorageAway extends Error {}

const { app, lines, metrics } = createTestServer({ isStorageUnavailable: (error) => error instanceof StorageAway })
app.get('/away', async () => {
  throw new StorageAway('connect ECONNREFUSED 10.0.0.1:27017')
})
app.get('/gone', async (_request, reply) => {
  reply.header('cache-control', 'private, no-cache')
  throw problem('not_found', 'No thing has this id')
})
app.get('/thrown', async () => {
  throw 'a string'
})
app.get('/cached', async (_request, reply) => reply.header('cache-control', 'private, no-cache').send({ data: 1 }))
for (const [path, error] of Object.entries({
  '/cut': new Error('The cursor is gone'),
  '/full': new OverBudget('full'),
})) {
  app.get(path, async (_request, reply) => {
    const rows = (async function* () {
      yield '{"data":['
      throw error
    })()
    return reply.type('application/json').send(Readable.from(rows))
  })
}
afterAll(() => app.close())

test('sends a complete problem document that must not be cached', async () => {
  const response = await app.inject({ url: '/gone', headers: { ...authorized, 'x-request-id': 'trace-1' } })
  expect(response.json()).toEqual({
    type: 'urn:herald:problem:not_found',
    title: 'Not found',
    status: 404,
    detail: 'No thing has this id',
    instance: 'trace-1',
    code: 'not_found',
  })
  expect(response.headers).toMatchObject({
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': 'trace-1',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  })
})

test('returns 500 for an unexpected error, and logs the cause without sending it', async () => {
  const response = await app.inject({ url: '/fails', headers: { ...authorized, 'x-request-id': 'trace-2' } })
  expect(readProblem(response)).toMatchObject({ statusCode: 500, code: 'internal', instance: 'trace-2' })
  expect(response.body).not.toMatch(/mongodb|hunter2/)
  const line = lines.find(({ level, requestId }) => level === 'error' && requestId === 'trace-2')
  expect(line).toMatchObject({ err: { type: 'Error', message: expect.stringContaining('Cannot reach') } })
  expect(JSON.stringify(lines)).not.toContain('hunter2')
})

test('returns 500 for a thrown value that is not an error', async () => {
  expect((await app.inject({ url: '/thrown', headers: authorized })).statusCode).toBe(500)
})

test('returns 503 with Retry-After when the storage is unavailable', async () => {
  const response = await app.inject({ url: '/away', headers: authorized })
  expect(readProblem(response)).toMatchObject({ statusCode: 503, code: 'storage_unavailable' })
  expect(response.headers['retry-after']).toBe('5')
  expect(response.body).not.toContain('10.0.0.1')
})

describe('request ids', () => {
  test.each(['a', 'A-b_c.9', 'x'.repeat(128)])('%s is kept', async (id) => {
    expect((await app.inject({ url: '/public', headers: { 'x-request-id': id } })).headers['x-request-id']).toBe(id)
  })

  test.each(['', 'x'.repeat(129), 'a b', 'a,b', 'é', 'a"b'])('"%s" is replaced by a UUID', async (id) => {
    const response = await app.inject({ url: '/public', headers: { 'x-request-id': id } })
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })
})

test('forbids caching unless the route sets cache-control', async () => {
  expect((await app.inject({ url: '/', headers: authorized })).headers['cache-control']).toBe('no-store')
  const cached = await app.inject({ url: '/cached', headers: authorized })
  expect(cached.headers['cache-control']).toBe('private, no-cache')
})

test('aborts the response and logs when a stream fails', async () => {
  await expect(app.inject({ url: '/cut', headers: { ...authorized, 'x-request-id': 'cut' } })).rejects.toThrow()
  expect(lines).toContainEqual(expect.objectContaining({ requestId: 'cut', msg: 'Response aborted' }))
})

test('a response that is refused on its way is cut, and no error', async () => {
  await expect(app.inject({ url: '/full', headers: { ...authorized, 'x-request-id': 'full' } })).rejects.toThrow()
  const ofRequest = lines.filter(({ requestId }) => requestId === 'full')
  expect(ofRequest).toContainEqual(expect.objectContaining({ level: 'info', refused: 'full' }))
  expect(ofRequest.filter(({ level, err }) => level === 'error' || err)).toEqual([])
})

test('logs and observes each request once, by route pattern', async () => {
  const id = '33333333-3333-4333-8333-333333333333'
  const headers = { ...authorized, 'x-request-id': 'one' }
  await app.inject({ url: `/things/${id}`, headers })
  await new Promise(setImmediate)
  const ofRequest = lines.filter(({ requestId }) => requestId === 'one')
  expect(ofRequest).toEqual([
    {
      level: 'info',
      time: expect.any(String),
      name: 'test',
      requestId: 'one',
      msg: 'Request completed',
      method: 'GET',
      route: '/things/:id',
      status: 200,
      durationMs: expect.any(Number),
      userId: identity.userId,
      subscriberId: identity.subscriberId,
    },
  ])
  expect(await metrics.registry.metrics()).toContain(
    'http_request_duration_seconds_count{method="GET",route="/things/:id",status="200"} 1',
  )
})

test('logs endless responses, and observes only those that were rejected', async () => {
  const server = createTestServer()
  server.app.get('/endless', { config: { endless: true } }, async () => 'begun')
  for (const headers of [authorized, {}]) await server.app.inject({ url: '/endless', headers })
  await new Promise(setImmediate)
  expect(server.lines.filter(({ route }) => route === '/endless')).toHaveLength(2)
  const observed = await server.metrics.registry.metrics()
  expect(observed).toContain('http_request_duration_seconds_count{method="GET",route="/endless",status="401"} 1')
  expect(observed).not.toContain('route="/endless",status="200"')
  await server.app.close()
})

test('logs no token, query or path', async () => {
  for (const url of ['/?limit=5', '/secret-path?secret-query=1', '/things/%ff']) {
    await app.inject({ url, headers: authorized })
  }
  await new Promise(setImmediate)
  expect(JSON.stringify(lines)).not.toMatch(/good|limit=|secret-|%ff/)
})
