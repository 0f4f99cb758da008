import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A record of a topic; bytes in base64. */
export type FoundRecord = {
  partition: number
  offset: number
  /** Milliseconds since 1970. */
  at: number
  key: string | null
  value: string | null
  headers: [string, string | null][]
}

/** Reads all records of a topic continuously, with a foreign client. */
export type TopicFollower = {
  /** The offset up to which a partition was read. */
  position(partition: number): number
  /** Reads from the beginning after the topic was recreated. */
  startAgain(): void
  stop(): void
}

export type TopicFollowerOptions = {
  python: NodeJS.ProcessEnv
  broker: string
  topic: string
  partitions: number
  onRecord: (record: FoundRecord) => void
}

const script = fileURLToPath(new URL('../topic-reader.py', import.meta.url))

export function followTopic({ python, broker, topic, partitions, onRecord }: TopicFollowerOptions): TopicFollower {
  const positions = new Map<number, number>()
  let child: ChildProcess

  const start = (): void => {
    child = spawn('python3', [script, JSON.stringify({ brokers: broker, topic, partitions })], {
      env: python,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const started = child
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (child !== started) return
      const record = JSON.parse(line) as FoundRecord
      onRecord(record)
      positions.set(record.partition, record.offset + 1)
    })
  }
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  start()

  return {
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
