import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { Authenticator } from '../auth/authenticator.ts'
import { createTestServer, identity, readProblem } from './http-server.fixture.ts'
import { createRateLimit } from './rate-limit.ts'

/** Accepts `Bearer <subscriber>/<user>`. */
const authenticator: Pick<Authenticator, 'authenticate'> = {
  authenticate: async ([value = '']) => {
    const [, subscriberId = '', userId] = /^Bearer (\w+)\/(\w+)$/.exec(value) ?? []
    if (userId === undefined) return { ok: false, reason: 'invalid', detail: 'The token has expired' }
    return { ok: true, identity: { ...identity, subscriberId, userId } }
  },
}

let app: ReturnType<typeof createTestServer>['app']
beforeEach(() => {
  jest.useFakeTimers({
    now: new Date('2026-05-01T12:00:00Z'),
    doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'],
  })
  app = createTestServer({ authenticator, rateLimitPerMinute: 3 }).app
})
afterEach(async () => {
  jest.restoreAllMocks()
  jest.useRealTimers()
  await app.close()
})

const get = (token: string, url = '/') => app.inject({ url, headers: { authorization: `Bearer ${token}` } })
const limitsOf = ({ headers }: Awaited<ReturnType<typeof get>>) =>
  ['limit', 'remaining', 'reset'].map((name) => headers[`ratelimit-${name}`])

test('reports the remaining requests and the end of the window', async () => {
  expect(limitsOf(await get('a/1'))).toEqual(['3', '2', '60'])
  jest.advanceTimersByTime(20_500)
  expect(limitsOf(await get('a/1'))).toEqual(['3', '1', '40'])
})

test('returns 429 beyond the limit until the window ends', async () => {
  for (const _ of [1, 2, 3]) expect((await get('a/1')).statusCode).toBe(200)
  jest.advanceTimersByTime(15_000)
  const refused = await get('a/1')
  expect(readProblem(refused)).toMatchObject({
    statusCode: 429,
    contentType: 'application/problem+json; charset=utf-8',
    code: 'rate_limited',
    detail: 'Limit of 3 requests per minute exceeded; retry in 45 s',
  })
  expect([...limitsOf(refused), refused.headers['retry-after']]).toEqual(['3', '0', '45', '45'])
  jest.advanceTimersByTime(44_999)
  expect((await get('a/1')).statusCode).toBe(429)
  jest.advanceTimersByTime(1)
  expect((await get('a/1')).statusCode).toBe(200)
})

test('counts each user of each subscriber separately', async () => {
  for (const _ of [1, 2, 3, 4]) await get('a/1')
  expect((await get('a/1')).statusCode).toBe(429)
  expect((await get('a/2')).statusCode).toBe(200)
  expect((await get('b/1')).statusCode).toBe(200)
})

test('counts all operations of a user together, including forbidden ones', async () => {
  await get('a/1', '/scoped')
  await get('a/1', '/things/nonsense')
  const refused = await get('a/1', '/locked')
  expect([refused.statusCode, ...limitsOf(refused)]).toEqual([403, '3', '0', '60'])
  expect((await get('a/1', '/locked')).statusCode).toBe(429)
})

test('does not count requests without a valid token', async () => {
  for (const _ of Array(20)) {
    const refused = await get('a-1')
    expect([refused.statusCode, ...limitsOf(refused)]).toEqual([401, undefined, undefined, undefined])
    expect((await get('a/1', '/nothing')).statusCode).toBe(404)
    expect((await get('a/1', '/public')).headers['ratelimit-limit']).toBeUndefined()
  }
  expect(limitsOf(await get('a/1'))).toEqual(['3', '2', '60'])
})

test('forgets the user whose window began first when it counts too many', () => {
  const limitRate = createRateLimit(1)
  const reply = { headers: () => {} } as never
  const request = (userId: string) => limitRate({ caller: { ...identity, userId } } as never, reply)
  for (let user = 0; user <= 50_000; user++) request(String(user))
  expect(() => request('1')).toThrow('Limit of 1 requests per minute exceeded')
  expect(() => request('0')).not.toThrow()
})

test.each([54_145.464171102554, 1_009_329.6568538834])('a window that opens at %s ms ends in 60 s', (now) => {
  jest.spyOn(performance, 'now').mockReturnValue(now)
  const headers = jest.fn()
  createRateLimit(1)({ caller: identity } as never, { headers } as never)
  expect(headers).toHaveBeenCalledWith(expect.objectContaining({ 'ratelimit-reset': 60 }))
})
