import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { placeOf } from './ledger.ts'

/** A record of the dead-letter topic; bytes in base64. */
export type FoundLetter = {
  partition: number
  offset: number
  /** Milliseconds since 1970. */
  at: number
  key: string | null
  value: string | null
  headers: [string, string | null][]
}

/** All records of the dead-letter topic, read continuously by a foreign client. */
export type DeadLetterLog = {
  /** By origin: topic/partition/offset. A crash may cause several letters of one origin. */
  letters: ReadonlyMap<string, FoundLetter[]>
  count(): number
  /** The offset up to which a partition was read. */
  position(partition: number): number
  /** Reads from the beginning after the topic was recreated; letters found before are kept. */
  startAgain(): void
  stop(): void
}

const script = fileURLToPath(new URL('../dead-letter-reader.py', import.meta.url))

export type DeadLetterLogOptions = {
  python: NodeJS.ProcessEnv
  broker: string
  topic: string
  partitions: number
}

export function followDeadLetters({ python, broker, topic, partitions }: DeadLetterLogOptions): DeadLetterLog {
  const letters = new Map<string, FoundLetter[]>()
  const positions = new Map<number, number>()
  let count = 0
  let child: ChildProcess

  const start = (): void => {
    child = spawn('python3', [script, JSON.stringify({ brokers: broker, topic, partitions })], {
      env: python,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const started = child
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (child === started) add(JSON.parse(line) as FoundLetter)
    })
  }
  const add = (letter: FoundLetter): void => {
    const origin = originOf(letter)
    letters.set(origin, [...(letters.get(origin) ?? []), letter])
    positions.set(letter.partition, letter.offset + 1)
    count++
  }
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  start()

  return {
    letters,
    count: () => count,
    position: (partition) => positions.get(partition) ?? 0,
    startAgain() {
      kill()
      positions.clear()
      start()
    },
    stop() {
      process.removeListener('exit', kill)
      kill()
    },
  }
}

export function headerOf({ headers }: FoundLetter, name: string): string | undefined {
  const value = headers.find(([found]) => found === name)?.[1]
  return value === undefined || value === null ? undefined : Buffer.from(value, 'base64').toString()
}

function originOf(letter: FoundLetter): string {
  const part = (name: string) => headerOf(letter, `herald-origin-${name}`) ?? '?'
  return placeOf(part('topic'), Number(part('partition')), part('offset'))
}
