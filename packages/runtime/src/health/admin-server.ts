import { type FastifyInstance, type FastifyReply, fastify } from 'fastify'
import { Gauge, type Registry } from 'prom-client'
import type { Logger } from '../logging/logger.ts'
import { type CheckAnswer, type CheckResult, createCheckRunner, type HealthCheck } from './health-checks.ts'

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
  const runReadinessChecks = createCheckRunner({ logger, limitMs: checkLimitMs, onAnswer: showAnswers(registry) })
  const app = fastify({ logger: false, forceCloseConnections: true })
  let draining = false

  app.get('/livez', async (_request, reply) => report(reply, await runChecks(livenessChecks)))
  app.get('/readyz', async (_request, reply) => {
    if (draining) return report(reply, [{ name: 'draining', ok: false, detail: 'The service is shutting down' }])
    return report(reply, await runReadinessChecks(readinessChecks))
  })
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()))

  return {
    app,
    startDraining: () => {
      draining = true
    },
  }
}

/** The last answers, for alerts: a check that fails wants something of its operator, one without an answer may just wait. */
function showAnswers(registry: Registry) {
  const gauge = new Gauge({
    name: 'herald_readiness_check',
    help: '1 for the latest outcome of a readiness check (ok, failing, unanswered), 0 otherwise, by check and outcome',
    labelNames: ['check', 'answer'],
    registers: [registry],
  })
  const answers: readonly CheckAnswer[] = ['ok', 'failing', 'unanswered']
  return (check: string, answer: CheckAnswer): void => {
    for (const possible of answers) gauge.set({ check, answer: possible }, possible === answer ? 1 : 0)
  }
}

function report(reply: FastifyReply, checks: readonly CheckResult[]): FastifyReply {
  const ok = checks.every((check) => check.ok)
  return reply
    .code(ok ? 200 : 503)
    .header('cache-control', 'no-store')
    .send({ status: ok ? 'ok' : 'failing', checks })
}
