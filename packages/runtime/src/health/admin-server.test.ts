import { afterEach, describe, expect, test } from '@jest/globals'
import { createLogger } from '../logging/logger.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { type AdminServer, type AdminServerDependencies, createAdminServer } from './admin-server.ts'
import type { HealthCheck } from './health-checks.ts'

const lines: string[] = []
const logger = createLogger({ name: 'test', level: 'info', destination: { write: (line) => void lines.push(line) } })
let admin: AdminServer

function get(url: string, checks: Partial<AdminServerDependencies> = {}) {
  const { registry } = createMetrics()
  admin = createAdminServer({ logger, registry, checkLimitMs: 50, ...checks })
  return admin.app.inject({ url })
}
afterEach(() => admin.app.close())

const right: HealthCheck = { name: 'right', check: () => ({ ok: true }) }
const missing: HealthCheck = { name: 'index', check: async () => ({ ok: false, detail: 'Index a is missing' }) }
const throwing: HealthCheck = {
  name: 'throwing',
  check: () => {
    throw new Error('connect mongodb://u:p@h')
  },
}

describe.each([
  ['/livez', 'livenessChecks'],
  ['/readyz', 'readinessChecks'],
] as const)('%s', (url, kind) => {
  test('returns 200 without checks and when every check passes', async () => {
    const answer = await get(url, { [kind]: [right] })
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { status: 'ok', checks: [{ name: 'right', ok: true, detail: '' }] },
    ])
    expect((await get(url)).statusCode).toBe(200)
  })

  test('returns 503 with the detail of each failing check', async () => {
    const answer = await get(url, { [kind]: [right, missing, throwing] })
    expect([answer.statusCode, answer.json()]).toEqual([
      503,
      {
        status: 'failing',
        checks: [
          { name: 'right', ok: true, detail: '' },
          { name: 'index', ok: false, detail: 'Index a is missing' },
          { name: 'throwing', ok: false, detail: 'The check failed; see the log' },
        ],
      },
    ])
    expect(lines.join()).toContain('connect mongodb://')
  })

  test('runs checks in parallel, and aborts those that hang', async () => {
    const signals: AbortSignal[] = []
    const startedAtAborts: number[] = []
    const hanging: HealthCheck = {
      name: 'hanging',
      check: (signal) => {
        signals.push(signal)
        signal.addEventListener('abort', () => startedAtAborts.push(signals.length))
        return new Promise(() => {})
      },
    }
    const answer = await get(url, { [kind]: Array(20).fill(hanging) })
    expect(startedAtAborts).toEqual(Array(20).fill(20))
    expect(answer.statusCode).toBe(503)
    expect(answer.json().checks[0]).toEqual({ name: 'hanging', ok: false, detail: 'No response within 50 ms' })
  })
})

test('an unavailable dependency makes the service unready but not dead', async () => {
  expect((await get('/livez', { readinessChecks: [missing] })).statusCode).toBe(200)
})

test('while draining, /readyz returns 503 and /livez still returns 200', async () => {
  expect((await get('/readyz', { readinessChecks: [right] })).statusCode).toBe(200)
  admin.startDraining()
  const answer = await admin.app.inject({ url: '/readyz' })
  expect([answer.statusCode, answer.json().checks[0].name]).toEqual([503, 'draining'])
  expect((await admin.app.inject({ url: '/livez' })).statusCode).toBe(200)
})

test('/metrics returns the process metrics in the Prometheus format', async () => {
  const answer = await get('/metrics')
  expect(answer.headers['content-type']).toContain('text/plain; version=0.0.4')
  expect(answer.body).toContain('process_cpu_user_seconds_total')
  expect(answer.body).toContain('# TYPE http_request_duration_seconds histogram')
})

test('/metrics reports each readiness check as ok, failing or unanswered', async () => {
  await get('/readyz', { readinessChecks: [right, missing, throwing] })
  const { body } = await admin.app.inject({ url: '/metrics' })
  const shown = [...body.matchAll(/^herald_readiness_check\{check="(\w+)",answer="(\w+)"\} 1$/gm)]
  expect(shown.map(([, check, answer]) => [check, answer]).sort()).toEqual([
    ['index', 'failing'],
    ['right', 'ok'],
    ['throwing', 'unanswered'],
  ])
})

test('two registries are independent', async () => {
  const [one, other] = [createMetrics(), createMetrics()]
  one.httpRequestSeconds.observe({ method: 'GET', route: '/x', status: '200' }, 1)
  expect(await other.registry.getSingleMetricAsString('http_request_duration_seconds')).not.toContain('/x')
})
