import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const workspaceRoot = fileURLToPath(new URL('../../../', import.meta.url))

export type Finished = {
  ok: boolean
  output: string
}

export type WorkspaceCommand = {
  environment?: NodeJS.ProcessEnv
  /** Whether its output is printed rather than returned. */
  shown?: boolean
}

/** Runs npm, or a program that it has installed, in the root of the workspace. */
export function runInWorkspace(
  command: 'npm' | 'turbo',
  args: readonly string[],
  { environment = {}, shown = false }: WorkspaceCommand = {},
): Promise<Finished> {
  const file = command === 'npm' ? 'npm' : `${workspaceRoot}node_modules/.bin/turbo`
  const child = spawn(file, args, {
    cwd: workspaceRoot,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', ...environment },
    stdio: ['ignore', shown ? 'inherit' : 'pipe', shown ? 'inherit' : 'pipe'],
  })
  const stop = () => child.kill('SIGTERM')
  process.once('exit', stop)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      process.off('exit', stop)
      resolve({ ok: code === 0, output })
    })
  })
}
