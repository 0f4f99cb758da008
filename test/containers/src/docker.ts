import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)

export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Why nothing can be done with Docker here; `undefined` when it answers, and knows compose. */
export const whyNoDocker = (): string | undefined => {
  if (spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 10_000 }).status !== 0)
    return 'no Docker daemon answers'
  if (spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status !== 0) return 'docker compose is missing'
  return undefined
}

/** Runs docker to its end, and returns what it printed; throws with what it said otherwise. */
export async function docker(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const options = { cwd: root, env: { ...process.env, ...environment }, maxBuffer: 64 * 1024 * 1024 }
  return (await execute('docker', args, options)).stdout
}

// biome-ignore lint/suspicious/noExplicitAny: Docker's own form; what is read of it is what is asserted.
export const inspect = async (kind: 'image' | 'container', name: string): Promise<any> =>
  JSON.parse(await docker([kind, 'inspect', name]))[0]
