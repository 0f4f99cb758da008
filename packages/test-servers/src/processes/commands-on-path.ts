import { execFile } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Returns the file that a shell would run for `name`, or undefined. */
export function findCommand(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  const folders = (environment.PATH ?? '').split(delimiter).filter(Boolean)
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** Runs a command and returns its output. Throws when it fails, with the lines that contain the error. */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: { environment: NodeJS.ProcessEnv; folder?: string; onOutput?: (text: string) => void },
): Promise<string> {
  const running = run(command, [...args], {
    env: options.environment,
    cwd: options.folder,
    timeout: 10 * 60_000,
    maxBuffer: 16 * 1024 * 1024,
  })
  const { onOutput } = options
  if (onOutput) running.child.stdout?.on('data', onOutput)
  const stop = () => running.child.kill()
  process.once('exit', stop)
  try {
    const { stdout, stderr } = await running
    return stdout + stderr
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string }
    const lines = (stdout + stderr).trim().split('\n')
    const errors = lines.filter((line) => /\berror\b/i.test(line)).slice(0, 5)
    const why = errors.length > 0 ? errors : lines.slice(-5)
    throw new Error(`\`${[command, ...args].join(' ')}\` failed: ${why.join('\n')}`, { cause })
  } finally {
    process.off('exit', stop)
  }
}
