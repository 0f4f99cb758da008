import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'

const tracing = fileURLToPath(new URL('./tracing.ts', import.meta.url))

/** Starts tracing in a process, and returns the OpenTelemetry modules that it loaded. */
async function loaded(endpoint: string | undefined): Promise<string[]> {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    const { startTracing } = await import(${JSON.stringify(tracing)})
    const tracing = await startTracing({
      settings: { OTEL_EXPORTER_OTLP_ENDPOINT: ${JSON.stringify(endpoint)} },
      serviceName: 'test', logger: console, releasers: { add() {} },
    })
    console.log(JSON.stringify({ isOn: tracing !== undefined, loaded }))
    process.exit()`
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--no-warnings',
    '-e',
    program,
  ])
  const found = JSON.parse(stdout) as { isOn: boolean; loaded: string[] }
  expect(found.isOn).toBe(endpoint !== undefined)
  return found.loaded.filter((url) => url.includes('@opentelemetry'))
}

test('does not load OpenTelemetry without an endpoint', async () => {
  expect(await loaded(undefined)).toEqual([])
})

test('loads OpenTelemetry with an endpoint', async () => {
  expect(await loaded('http://127.0.0.1:4318')).not.toEqual([])
})
