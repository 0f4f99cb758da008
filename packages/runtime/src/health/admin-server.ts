import { type FastifyReply, fastify } from 'fastify'
import { Gauge, type Registry } from 'prom-client'
import { schemaController } from '../fastify/schema-controller.ts'
import type { Logger } from '../logging/logger.ts'
import {
  type CheckAnswer,
  type CheckResult,
  checkAnswers,
  createCheckRunner,
  type HealthCheck,
} from './health-checks.ts'

export type AdminServerDependencies = {
  readonly logger: Logger
  readonly registry: Registry
  /** Whether the process makes progress. An unavailable dependency must not fail these: a restart would not help. */
  readonly livenessChecks?: readonly HealthCheck[]
  readonly readinessChecks?: readonly HealthCheck[]
  readonly checkLimitMs?: number
}

export type AdminServer = ReturnType<typeof createAdminServer>

/** Serves `/livez`, `/readyz` and `/metrics`, on a port that the gateway must not route to. Does not listen yet. */
export function createAdminServer({
  logger,
  registry,
  livenessChecks = [],
  readinessChecks = [],
  checkLimitMs = 2_000,
}: AdminServerDependencies) {
  const runChecks = createCheckRunner({ logger, limitMs: checkLimitMs })
  // For alerts: `failing` needs an operator, `unanswered` may pass by itself.
  const answers = new Gauge({
    name: 'herald_readiness_check',
    help: '1 for the latest answer of a readiness check (ok, failing, unanswered), 0 otherwise, by check and answer',
    labelNames: ['check', 'answer'],
    registers: [registry],
  })
  const onAnswer = (check: string, answer: CheckAnswer) => {
    for (const one of checkAnswers) answers.set({ check, answer: one }, one === answer ? 1 : 0)
  }
  const runReadinessChecks = createCheckRunner({ logger, limitMs: checkLimitMs, onAnswer })
  const app = fastify({ logger: false, forceCloseConnections: true, schemaController })
  let draining = false

  app.get('/livez', async (_request, reply) => report(reply, await runChecks(livenessChecks)))
  app.get('/readyz', async (_request, reply) => {
    if (draining) return report(reply, [{ name: 'draining', ok: false, detail: 'The service is shutting down' }])
    return report(reply, await runReadinessChecks(readinessChecks))
  })
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()))

  return {
    app,
    /** Makes `/readyz` respond with 503 from now on, regardless of the checks. */
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
