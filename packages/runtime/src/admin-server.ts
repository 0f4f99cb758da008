import { type FastifyInstance, type FastifyReply, fastify } from 'fastify'
import type { Registry } from 'prom-client'
import { type CheckResult, createCheckRunner, type HealthCheck } from './health-checks.ts'
import type { Logger } from './logger.ts'

export type AdminServerDependencies = {
  readonly logger: Logger
  readonly registry: Registry
  /** Whether the process can make progress. A dependency that is away is no reason to start it anew. */
  readonly livenessChecks?: readonly HealthCheck[]
  /** Whether requests should be sent here. */
  readonly readinessChecks?: readonly HealthCheck[]
  /** Milliseconds that each check has. */
  readonly checkLimitMs?: number
}

export type AdminServer = {
  readonly app: FastifyInstance
  /** From now on `/readyz` is 503, whatever the checks say. */
  readonly startDraining: () => void
}

/** `/livez`, `/readyz` and `/metrics`, on a port that is never routed to from outside. Does not listen yet. */
export function createAdminServer({
  logger,
  registry,
  livenessChecks = [],
  readinessChecks = [],
  checkLimitMs = 2_000,
}: AdminServerDependencies): AdminServer {
  const runChecks = createCheckRunner({ logger, limitMs: checkLimitMs })
  const app = fastify({ logger: false, forceCloseConnections: true })
  let draining = false

  app.get('/livez', async (_request, reply) => report(reply, await runChecks(livenessChecks)))
  app.get('/readyz', async (_request, reply) => {
    if (draining) return report(reply, [{ name: 'draining', ok: false, detail: 'The service is shutting down' }])
    return report(reply, await runChecks(readinessChecks))
  })
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()))

  return {
    app,
    startDraining: () => {
      draining = true
    },
  }
}

function report(reply: FastifyReply, checks: readonly CheckResult[]): FastifyReply {
  const ok = checks.every((check) => check.ok)
  return reply
    .code(ok ? 200 : 503)
    .header('cache-control', 'no-store')
    .send({ status: ok ? 'ok' : 'failing', checks })
}
