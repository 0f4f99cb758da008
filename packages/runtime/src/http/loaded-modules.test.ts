import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'

const program = `
import { createRequire } from 'node:module'
const [{ createHttpServer }, { createAdminServer }, { createMetrics }, { createLogger }] = await Promise.all(
  ['http/http-server.ts', 'health/admin-server.ts', 'metrics/metrics.ts', 'logging/logger.ts'].map((file) =>
    import(new URL(file, process.argv[1])),
  ),
)
const [logger, metrics] = [createLogger({ name: 'test', level: 'silent' }), createMetrics()]
const app = createHttpServer({ logger, metrics, authenticator: {} })
await Promise.all([app.ready(), createAdminServer({ logger, registry: metrics.registry }).app.ready()])
const files = Object.keys(createRequire(process.argv[1]).cache)
console.log(JSON.stringify([...files, ...process.moduleLoadList]))
process.exit(0)
`

test('servers start without the modules that take long to load', async () => {
  const source = new URL('../', import.meta.url).href
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, source])
  const loaded = (JSON.parse(stdout) as string[]).join('\n')
  expect(loaded).toMatch(/node_modules\/fastify\//)
  expect(loaded).not.toMatch(/node_modules\/(ajv|@fastify\/[a-z-]+-compiler)\/|undici\/undici/)
})
