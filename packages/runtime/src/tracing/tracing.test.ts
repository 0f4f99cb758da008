import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'

const tracing = fileURLToPath(new URL('./tracing.ts', import.meta.url))

/** The modules of OpenTelemetry's SDK that a process loads which starts tracing with this endpoint. */
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

test('without an endpoint nothing of OpenTelemetry is even loaded', async () => {
  expect(await loaded(undefined)).toEqual([])
})

test('with an endpoint it is', async () => {
  expect(await loaded('http://127.0.0.1:4318')).not.toEqual([])
})
