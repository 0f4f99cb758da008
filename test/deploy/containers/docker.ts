import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)

export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Returns the reason why Docker cannot be used; `undefined` if the daemon and compose are available. */
export const whyNoDocker = (): string | undefined => {
  if (spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 10_000 }).status !== 0)
    return 'no Docker daemon is running'
  if (spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status !== 0) return 'docker compose is missing'
  return undefined
}

/** Runs docker and returns its stdout. Throws an error with its output if it fails. */
export async function docker(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const options = { cwd: root, env: { ...process.env, ...environment }, maxBuffer: 64 * 1024 * 1024 }
  return (await execute('docker', args, options)).stdout
}

export type Ended = { readonly exitCode: number; readonly stdout: string; readonly stderr: string }

/** Runs docker until it ends, and returns its output whatever the exit code, which is that of the container for `run`. */
export const dockerToEnd = (args: readonly string[]): Promise<Ended> =>
  execute('docker', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 }).then(
    ({ stdout, stderr }) => ({ exitCode: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ exitCode: code, stdout, stderr }),
  )

// biome-ignore lint/suspicious/noExplicitAny: Docker's own format; only the asserted fields are read.
export const inspect = async (kind: 'image' | 'container', name: string): Promise<any> =>
  JSON.parse(await docker([kind, 'inspect', name]))[0]
