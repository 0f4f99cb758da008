import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { createOutputLines, type OutputLines } from './output-lines.ts'
import { startWatchdog } from './watchdog.ts'

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** How it is known that a program has started: a line of its output matches, or a URL answers 2xx. */
export type Ready = { line: RegExp } | { url: string }

export interface ProgramOptions {
  /** How messages call it. */
  name: string
  command: string
  args: readonly string[]
  environment: NodeJS.ProcessEnv
  ready: Ready
  /** What it stores its data in: kept over a restart, removed at the stop. */
  folder?: string
  /** Fills the folder before the first start. */
  prepare?: () => Promise<void>
  /** What ends it at a stop; a server whose data are thrown away need not close its files. */
  stopSignal?: NodeJS.Signals
}

export interface StartedProgram {
  /** The id of the process that runs now, or ran last. */
  readonly pid: number
  /** The end of that process. */
  readonly exited: Promise<Exit>
  kill(signal?: NodeJS.Signals): void
  /** Starts it again on the same port and data, after ending the process if it still runs. */
  restart(): Promise<void>
  /** Its latest lines, standard output and error together. */
  logs(): string[]
  /** Calls the listener with each line from now on, over restarts too. */
  onLine(listener: (line: string) => void): void
  stop(): Promise<void>
}

const READY_WITHIN_MS = 120_000
const STOP_WITHIN_MS = 30_000

/**
 * Starts a program that dies with this process, and waits until it is ready.
 * Throws with its last lines when it ends before, or is not ready within two minutes.
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
      // A group of its own: Ctrl-C reaches us alone, and everything ends in order.
      detached: true,
    })
    if (child.pid) watchdog.guard(child.pid)
    output.readFrom(child.stdout)
    output.readFrom(child.stderr)
    const exited = new Promise<Exit>((resolve, reject) => {
      child.once('error', (cause) => reject(new Error(`${options.name} could not be started.`, { cause })))
      child.once('exit', () => watchdog.forget())
      // Not before its last lines are here.
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
    throw new Error(`${name} ended before it was ready (${signal ?? `exit code ${code}`}):\n${lastLines()}`)
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
