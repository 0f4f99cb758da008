import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { createOutputLines, type OutputLines } from './output-lines.ts'
import { startWatchdog } from './watchdog.ts'

export type Exit = {
  code: number | null
  signal: NodeJS.Signals | null
}

/** The condition under which a program is ready: a line of its output matches, or a URL returns 2xx. */
type Ready = { line: RegExp } | { url: string }

export type ProgramOptions = {
  /** Used in messages. */
  name: string
  command: string
  args: readonly string[]
  environment: NodeJS.ProcessEnv
  ready: Ready
  /** Its data folder, which is kept on restart and removed on stop. */
  folder?: string
  /** Fills the folder before the first start. */
  prepare?: () => Promise<void>
  /** The signal for stop; SIGKILL by default, since the data is thrown away. */
  stopSignal?: NodeJS.Signals
}

export type StartedProgram = {
  /** The id of the current or last process. */
  readonly pid: number
  /** Resolves when that process has ended. */
  readonly exited: Promise<Exit>
  kill(signal?: NodeJS.Signals): void
  /** Stops the process if it is running and starts it again with the same port and data. */
  restart(): Promise<void>
  /** The latest lines of standard output and error. */
  logs(): string[]
  /** Calls the listener with each new line, also after restarts. */
  onLine(listener: (line: string) => void): void
  stop(): Promise<void>
}

const READY_WITHIN_MS = 120_000
const STOP_WITHIN_MS = 30_000

/**
 * Starts a program that ends with this process, and waits until it is ready.
 * Throws with its last lines when it exits before, or is not ready within two minutes.
 */
export async function startProgram(options: ProgramOptions): Promise<StartedProgram> {
  const { folder, stopSignal = 'SIGKILL' } = options
  const output = createOutputLines()
  const watchdog = startWatchdog(folder ? [folder] : [])
  await options.prepare?.().catch(async (error) => {
    await watchdog.stop()
    throw error
  })
  let running = run()

  function run() {
    const child = spawn(options.command, options.args, {
      env: options.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its own process group: Ctrl-C reaches only this process, which stops everything in order.
      detached: true,
    })
    if (child.pid) watchdog.guard(child.pid)
    output.readFrom(child.stdout)
    output.readFrom(child.stderr)
    const exited = new Promise<Exit>((resolve, reject) => {
      child.once('error', (cause) => reject(new Error(`${options.name} could not be started.`, { cause })))
      child.once('exit', () => watchdog.forget())
      // `close` comes after the last lines, unlike `exit`.
      child.once('close', (code, signal) => resolve({ code, signal: signal as NodeJS.Signals | null }))
    })
    exited.catch(() => {})
    return { child, exited }
  }

  async function end(signal: NodeJS.Signals) {
    if (!isAlive(running.child)) return
    kill(running.child, signal)
    const deadline = setTimeout(() => kill(running.child, 'SIGKILL'), STOP_WITHIN_MS)
    await running.exited.finally(() => clearTimeout(deadline))
  }

  async function stop() {
    await end(stopSignal)
    await watchdog.stop()
  }

  try {
    await untilReady(options, running.exited, output)
  } catch (error) {
    await stop().catch(() => {})
    throw error
  }

  return {
    get pid() {
      return running.child.pid ?? 0
    },
    get exited() {
      return running.exited
    },
    kill: (signal = 'SIGKILL') => kill(running.child, signal),
    async restart() {
      await end(stopSignal)
      running = run()
      await untilReady(options, running.exited, output)
    },
    logs: output.lines,
    onLine: output.onLine,
    stop,
  }
}

async function untilReady({ name, ready }: ProgramOptions, exited: Promise<Exit>, output: OutputLines) {
  const over = new AbortController()
  const lastLines = () => output.lines().slice(-20).join('\n')
  const ended = exited.then(({ code, signal }) => {
    throw new Error(`${name} exited before it was ready (${signal ?? `exit code ${code}`}):\n${lastLines()}`)
  })
  const late = pause(READY_WITHIN_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error(`${name} was not ready within ${READY_WITHIN_MS / 1000} s:\n${lastLines()}`)
  })
  const isReady = 'line' in ready ? output.next(ready.line, over.signal) : untilAnswering(ready.url, over.signal)
  try {
    await Promise.race([isReady, ended, late])
  } finally {
    over.abort()
  }
}

async function untilAnswering(url: string, signal: AbortSignal) {
  for (;;) {
    const response = await fetch(url, { signal }).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.ok) return
    await pause(50, undefined, { signal })
  }
}

function isAlive(child: ChildProcess) {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null
}

function kill(child: ChildProcess, signal: NodeJS.Signals) {
  if (isAlive(child)) child.kill(signal)
}
