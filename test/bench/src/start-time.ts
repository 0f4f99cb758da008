import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { nodeArguments, type ServiceName, serviceFile } from '@herald/local-herald'
import { eventually, findFreePort } from '@herald/test-servers'

const host = '127.0.0.1'
const limitMs = 30_000
const pollMs = 10

/**
 * Starts a service, stops it when it is ready, and returns the seconds between. It is started without `startService`, which
 * starts another program beside it, on the same cores, and asks every 50 ms.
 */
export async function startTime(service: Exclude<ServiceName, 'seal'>, settings: NodeJS.ProcessEnv): Promise<number> {
  const [port, adminPort] = [await findFreePort(), await findFreePort()]
  const env = { ...settings, HOST: host, PORT: String(port), ADMIN_PORT: String(adminPort) }
  const begun = performance.now()
  const child = spawn(process.execPath, [...nodeArguments[service], serviceFile(service, 'main')], {
    env,
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  try {
    const isReady = async () => {
      if (child.exitCode !== null) throw new Error(`${service} exited before it was ready`)
      const response = await fetch(`http://${host}:${adminPort}/readyz`).catch(() => undefined)
      await response?.body?.cancel()
      return response?.ok === true
    }
    await eventually(isReady, { description: `${service} is ready`, within: limitMs, every: pollMs })
    return (performance.now() - begun) / 1_000
  } finally {
    child.kill('SIGTERM')
    await exited
  }
}
