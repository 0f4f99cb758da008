import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'

const script = `
  import { registerHooks } from 'node:module'
  registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) })
  await import(process.argv[1])
`

/** The packages that a program loads before it finds out that its settings are missing. */
async function packagesOf(file: string): Promise<Set<string>> {
  const program = fileURLToPath(new URL(`../dist/${file}.js`, import.meta.url))
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, program], { env: {} })
  const { stderr } = await run.catch((error: { stderr: string }) => error)
  return new Set(Array.from(stderr.matchAll(/(?:node_modules|packages)\/([^/\n]+)\//g), ([, name = '']) => name))
}

test('the service that answers requests does not load the Kafka client', async () => {
  const [main, seal] = await Promise.all(['main', 'seal'].map(packagesOf))
  expect(main).toContain('fastify')
  for (const name of ['kafka', 'kafkajs']) {
    expect(main).not.toContain(name)
    expect(seal).toContain(name)
  }
})
