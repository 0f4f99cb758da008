import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { BareClone } from './bare-clone.ts'
import { environmentOf, type Stranger } from './stranger.ts'

const UP_WITHIN_MS = 20 * 60_000

export type StartedNpm = Awaited<ReturnType<typeof npmStart>>

/** Runs `npm start` and waits until Herald is ready. Throws with the output when it exits before. */
export async function npmStart(clone: BareClone, { uid, gid }: Stranger, variables: NodeJS.ProcessEnv = {}) {
  const mark = randomUUID()
  const environment = { ...environmentOf(clone.home), TMPDIR: clone.temporary, FIRST_STEPS_MARK: mark }
  const began = performance.now()
  const child = spawn('npm', ['start'], {
    cwd: clone.folder,
    env: { ...environment, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group, to which the test sends Ctrl-C as a terminal does.
    detached: true,
    ...(uid === undefined ? {} : { uid, gid }),
  })
  let output = ''
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const isUp = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes('\nCtrl-C stops everything.\n')) resolve()
      })
    }
  })
  const timer = new AbortController()
  const late = new Promise<string>((resolve) => {
    const timeout = setTimeout(resolve, UP_WITHIN_MS, 'was not ready')
    timer.signal.addEventListener('abort', () => clearTimeout(timeout))
  })
  const failed = await Promise.race([isUp, exited.then((code) => `exited with code ${code}`), late])
  timer.abort()
  const seconds = (performance.now() - began) / 1000
  const pid = child.pid ?? 0
  if (failed) {
    if (child.exitCode === null) process.kill(-pid, 'SIGTERM')
    throw new Error(`npm start ${failed} after ${seconds.toFixed(0)} s:\n${output}`)
  }
  return { pid, environment, mark, seconds, exited, output: () => output }
}
