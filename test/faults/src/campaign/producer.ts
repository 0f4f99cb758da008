import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** An order to the producer: a range of the plan's events, single poison records for one partition, or what is out of bounds. */
type ProducerOrder = RangeOrder | PoisonOrder | BoundsOrder

type RangeOrder = {
  from: number
  to: number
  copies: number
  poison: boolean
  /** Events per second; 0 is unlimited. */
  rate: number
}

type PoisonOrder = {
  only: number[]
  kind: 'mention' | 'change' | 'receipt'
  partition: number
  /** Bytes to append to the value. */
  pad: number
}

/** A record or a batch beyond every bound, by its name in producer.py. */
type BoundsOrder = {
  bounds: string
  n: number
  count: number
  kind: 'mention'
  partition: number
}

export type Producer = {
  /** Resolves when all records are acknowledged, which waits for an unavailable broker. */
  produce(order: ProducerOrder): Promise<void>
  stop(): void
}

export type ProducerOptions = {
  python: NodeJS.ProcessEnv
  brokers: string
  topics: Readonly<Record<string, string>>
  source: string
  baseMs: number
  subscribers: number
  /** The file for the acknowledged records. */
  log: string
}

const script = fileURLToPath(new URL('../producer.py', import.meta.url))

export function startProducer({ python, ...settings }: ProducerOptions): Producer {
  const child = spawn('python3', [script, JSON.stringify(settings)], {
    env: python,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = []
  let failure: Error | undefined
  const fail = (message: string): void => {
    failure ??= new Error(message)
    for (const { reject } of waiting.splice(0)) reject(failure)
  }
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line === 'done') waiting.shift()?.resolve()
    else fail(`A record was not acknowledged: ${line}`)
  })
  child.once('exit', (code, signal) => fail(`The producer exited (${signal ?? code}).`))
  child.stdin.on('error', () => {})
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)

  return {
    produce(order) {
      if (failure) return Promise.reject(failure)
      const done = new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }))
      // A caller may await it only later: a rejection before that is not unhandled.
      done.catch(() => {})
      child.stdin.write(`${JSON.stringify(order)}\n`)
      return done
    },
    stop() {
      process.removeListener('exit', kill)
      kill()
    },
  }
}
