import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'

export const execute = promisify(execFile)

/** Runs a program to its end; throws an error with its output if the exit code is not 0. */
export async function run(command: string, args: readonly string[], options: { input?: string } = {}) {
  const running = execute(command, args, { maxBuffer: 64 * 1024 * 1024 })
  // A command that ignores stdin may exit before it is written to; its exit code reports the outcome.
  running.child.stdin?.on('error', () => {})
  running.child.stdin?.end(options.input ?? '')
  return running
}

/** Whether a program can be run on this machine. */
export const isThere = (command: string, ...args: string[]) =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0
