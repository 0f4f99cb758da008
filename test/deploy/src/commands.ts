import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Runs a program to its end; throws with what it said when that is not 0. */
export async function run(command: string, args: readonly string[], options: { input?: string } = {}) {
  const running = execute(command, args, { maxBuffer: 64 * 1024 * 1024 })
  // A command that reads nothing may be gone before it is written to: its exit code tells what came of it.
  running.child.stdin?.on('error', () => {})
  running.child.stdin?.end(options.input ?? '')
  return running
}

/** Whether a program can be run here. */
export const isThere = (command: string, ...args: string[]) =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0
