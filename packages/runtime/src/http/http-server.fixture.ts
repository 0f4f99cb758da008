import { z } from 'zod'
import type { Authenticator } from '../auth/authenticator.ts'
import type { Identity } from '../auth/identity.ts'
import { createLogger } from '../logging/logger.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { createHttpServer, type HttpServerDependencies } from './http-server.ts'

export const identity: Identity = {
  userId: '11111111-1111-4111-8111-111111111111',
  subscriberId: '22222222-2222-4222-8222-222222222222',
  name: 'Ada',
  picture: '',
  actorType: 'user',
  scopes: new Set(['things:read']),
  expiresAt: new Date('2030-01-01T00:00:00Z'),
}

export const authorized = { authorization: 'Bearer good' }
export const jsonHeaders = { ...authorized, 'content-type': 'application/json' }

const authenticator: Pick<Authenticator, 'authenticate'> = {
  authenticate: async ([value]) => {
    if (value === 'Bearer good') return { ok: true, identity }
    if (value === 'Bearer away') return { ok: false, reason: 'unavailable', cause: new Error('connect ECONNREFUSED') }
    if (value === undefined) return { ok: false, reason: 'absent', detail: 'The request has no Authorization header' }
    return { ok: false, reason: 'invalid', detail: 'The token has expired' }
  },
}

type LogLine = Readonly<Record<string, unknown>>

/** A server with a few routes that collects its log lines. */
export function createTestServer(overrides: Partial<HttpServerDependencies> = {}) {
  const lines: LogLine[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const logger = createLogger({ name: 'test', level: 'debug', destination })
  const metrics = createMetrics()
  const app = createHttpServer({
    logger,
    authenticator,
    metrics,
    operations: [
      { method: 'POST', path: '/' },
      { method: 'GET', path: '/' },
    ],
    ...overrides,
  })
  const thingSchema = z.strictObject({ name: z.string(), size: z.number(), free: z.unknown().optional() })
  const querySchema = z.strictObject({ limit: z.string().regex(/^\d+$/).transform(Number).optional() })
  const paramsSchema = z.strictObject({ id: z.uuid({ error: 'Must be a UUID' }) })

  app.get('/', { schema: { querystring: querySchema } }, async ({ identity: { userId }, query }) => ({ userId, query }))
  app.get('/things/:id', { schema: { params: paramsSchema } }, async ({ params }) => ({ data: params }))
  app.patch('/things/:id/read', { schema: { params: paramsSchema } }, async () => ({ data: 'read' }))
  app.post('/things/read', { schema: { body: thingSchema, querystring: querySchema } }, async ({ body }) => ({
    data: body,
  }))
  app.get('/scoped', { config: { scope: 'things:read' } }, async () => ({ data: 'scoped' }))
  app.get('/locked', { config: { scope: 'things:write' } }, async () => ({ data: 'locked' }))
  app.get('/public', { config: { public: true } }, async () => ({ data: 'public' }))
  app.get('/public-identity', { config: { public: true } }, async (request) => ({ data: request.identity }))
  app.get('/fails', async () => {
    throw new Error('Cannot reach mongodb://user:hunter2@host')
  })
  return { app, lines, metrics }
}

/** The status, content type and members of a problem document. */
export function readProblem(response: {
  readonly statusCode: number
  readonly body: string
  readonly headers: object
}) {
  const { 'content-type': contentType } = response.headers as Record<string, unknown>
  return { statusCode: response.statusCode, contentType, ...JSON.parse(response.body) }
}
