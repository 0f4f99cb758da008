import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../bin/watchdog.mjs', import.meta.url))

export interface StartedWatchdog {
  /** From now on this process group dies with us. */
  guard(pid: number): void
  /** The guarded process is gone; its id may soon be somebody else's. */
  forget(): void
  /** Has the folders removed, and ends it. */
  stop(): Promise<void>
}

/**
 * Starts a small process that kills the guarded process group and removes `folders` when this process ends for any
 * reason, `kill -9` included.
 */
export function startWatchdog(folders: readonly string[]): StartedWatchdog {
  const child = spawn(process.execPath, [script, ...folders], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // A session of its own: Ctrl-C in the terminal does not reach it.
    detached: true,
  })
  const exited = once(child, 'exit')
  letLoopEnd(child)
  const tell = (pid: number) => child.stdin?.write(`${pid}\n`)
  // Its failure to start or its early death takes a safety net away and nothing else.
  child.stdin?.on('error', () => {})
  exited.catch(() => {})

  return {
    guard: (pid) => void tell(pid),
    forget: () => void tell(0),
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
