import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { TestIngest } from '../ingest.fixture.ts'

export type Finished = { readonly exitCode: number; readonly stdout: string; readonly stderr: string }

const file = fileURLToPath(new URL('../../dist/herald.js', import.meta.url))

/** Runs the built command in a process, as an operator does. */
export function runHerald(words: readonly string[], environment: Readonly<Record<string, string>>): Promise<Finished> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [file, ...words],
      { env: { PATH: process.env.PATH, ...environment } },
      (error, stdout, stderr) => {
        resolve({ exitCode: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr })
      },
    )
  })
}

/** The settings of the command for the topics and the database of an ingest. */
export const commandEnvironment = ({ brokers, groupId, topics, database }: TestIngest): Record<string, string> => ({
  KAFKA_BROKERS: brokers.join(','),
  KAFKA_GROUP_ID: groupId,
  KAFKA_MENTION_TOPIC: topics.mention,
  KAFKA_CHANGE_TOPIC: topics.change,
  KAFKA_RECEIPT_TOPIC: topics.receipt,
  KAFKA_DEAD_LETTER_TOPIC: topics.deadLetter,
  MONGODB_URI: process.env.MONGODB_URI ?? '',
  MONGODB_DATABASE: database,
})

/** A command that runs until it is interrupted. */
export type RunningHerald = {
  output(): string
  /** As Ctrl+C does. */
  interrupt(): void
  /** Resolves with the exit code. */
  readonly exited: Promise<number | null>
  kill(): void
}

/** Starts the built command in a pipe, or on a terminal of its own, by `script` of Linux. */
export function watchHerald(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  on: 'pipe' | 'terminal',
): RunningHerald {
  const env = { PATH: process.env.PATH, TERM: 'xterm-256color', ...environment }
  const line = [process.execPath, file, ...words].map((word) => `'${word}'`).join(' ')
  const child =
    on === 'pipe'
      ? spawn(process.execPath, [file, ...words], { env })
      : spawn('script', ['--quiet', '--return', '--command', `exec ${line}`, '/dev/null'], { env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  return {
    output: () => output,
    interrupt: () => void (on === 'pipe' ? child.kill('SIGINT') : child.stdin.write('\x03')),
    exited: once(child, 'close').then(([code]) => {
      process.removeListener('exit', kill)
      return code
    }),
    kill,
  }
}
