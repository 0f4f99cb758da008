import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../bin/watchdog.mjs', import.meta.url))

export type StartedWatchdog = {
  /** Kills this process group when the current process ends. */
  guard(pid: number): void
  /** Stops guarding a process that has ended, since its id may be reused. */
  forget(): void
  /** Removes the folders and stops the watchdog. */
  stop(): Promise<void>
}

/**
 * Starts a small process that kills the guarded process group and removes `folders` when this process ends for any
 * reason, `kill -9` included.
 */
export function startWatchdog(folders: readonly string[]): StartedWatchdog {
  const child = spawn(process.execPath, [script, ...folders], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Its own session, which Ctrl-C in the terminal does not reach.
    detached: true,
  })
  const exited = once(child, 'exit')
  letLoopEnd(child)
  const send = (pid: number) => child.stdin?.write(`${pid}\n`)
  // If it fails to start or dies early, only this safety net is lost.
  child.stdin?.on('error', () => {})
  exited.catch(() => {})

  return {
    guard: (pid) => void send(pid),
    forget: () => void send(0),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.ref()
      child.stdin?.end()
      await exited
    },
  }
}

function letLoopEnd(child: ChildProcess) {
  child.unref()
  const { stdin } = child
  if (stdin && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref()
}
