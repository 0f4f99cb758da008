import { describe, expect, test } from '@jest/globals'
import { operations } from '../support/api-operations.ts'
import { createBody } from '../support/create-body.ts'
import type { TestHerald } from '../support/herald.ts'
import { send } from '../support/http-client.ts'
import { expectProblem } from '../support/problem.ts'

type Settings = { requestsPerMinute: number; origin: string }

export function describeRateLimitsAndOrigins(herald: () => TestHerald, { requestsPerMinute, origin }: Settings): void {
  describe('rate limits and origins', () => {
    test.each([
      ['query', 'GET', '/notifications/unread-count', 'GET', '/?limit=0'],
      ['ingest', 'POST', '/', 'DELETE', '/notifications/x'],
    ])(
      '%s allows a user so many requests per minute and reports the rest and the time to wait',
      async (_, method, path, otherMethod, invalid) => {
        const [user, other] = [await herald().newUser(), await herald().newUser()]
        const json = method === 'POST' ? createBody([user.id]) : undefined
        const request = () => user.send(path, { method, json })
        // Rejected requests count, too.
        const rejected = Array.from({ length: requestsPerMinute - 5 }, () =>
          user.send(invalid, { method: otherMethod }),
        )
        for (const { status } of await Promise.all(rejected)) expect(status).toBe(400)
        for (const left of ['4', '3', '2', '1', '0']) {
          const { status, headers } = await request()
          expect([status, headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual([
            method === 'POST' ? 201 : 200,
            String(requestsPerMinute),
            left,
          ])
          expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThan(0)
        }
        const answer = await request()
        expectProblem(answer, 429, 'rate_limited')
        const seconds = Number(answer.headers.get('retry-after'))
        expect(seconds).toBeGreaterThan(0)
        expect(seconds).toBeLessThanOrEqual(60)
        expect(answer.headers.get('ratelimit-remaining')).toBe('0')
        expect((await other.send(path, { method, json })).status).toBe(method === 'POST' ? 201 : 200)
      },
    )

    test('requests without a valid token and for public paths are not limited', async () => {
      for (let count = 0; count < 8; count++) {
        expect((await send(`${herald().baseUrl}/`, { token: 'garbage' })).status).toBe(401)
        expect((await send(`${herald().baseUrl}/openapi.json`)).status).toBe(200)
      }
    })

    test.each(operations)('a page of an allowed origin may send $method $template', async ({ method, path }) => {
      const asked = ['authorization', 'content-type', 'idempotency-key', 'last-event-id', 'traceparent', 'baggage']
      const headers = {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': asked.join(),
      }
      const answer = await send(`${herald().baseUrl}${path}`, { method: 'OPTIONS', headers })
      expect(answer.status).toBe(204)
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
      expect(answer.headers.get('access-control-allow-methods')?.split(', ')).toContain(method)
      expect(answer.headers.get('access-control-allow-headers')?.split(/, ?/)).toEqual(asked)
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
    })

    test('a page of an allowed origin may read every response, including errors', async () => {
      const user = await herald().newUser()
      for (const request of [{ token: user.token }, {}, { method: 'DELETE' }]) {
        const answer = await send(`${herald().baseUrl}/`, { ...request, headers: { origin } })
        expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
        expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/i)
        expect(answer.headers.get('access-control-expose-headers')).toMatch(/etag.*retry-after.*x-request-id/)
      }
    })

    test.each(['https://elsewhere.example', 'null', 'https://app.example.elsewhere.example', 'http://app.example'])(
      'rejects the origin %s',
      async (stranger) => {
        const user = await herald().newUser()
        const answer = await send(`${herald().baseUrl}/`, { token: user.token, headers: { origin: stranger } })
        expect(answer.headers.has('access-control-allow-origin')).toBe(false)
        const headers = { origin: stranger, 'access-control-request-method': 'GET' }
        const preflight = await send(`${herald().baseUrl}/`, { method: 'OPTIONS', headers })
        expect([preflight.status, preflight.headers.has('access-control-allow-origin')]).toEqual([405, false])
      },
    )
  })
}
