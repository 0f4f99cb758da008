import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** What is to be produced: a range of the plan's events, or single poison records to one partition. */
export type ProducerOrder =
  | {
      from: number
      to: number
      copies: number
      poison: boolean /** Events a second; 0: as fast as it goes. */
      rate: number
    }
  | { only: number[]; kind: 'mention' | 'change' | 'receipt'; partition: number /** Bytes to be added. */; pad: number }

export interface Producer {
  /** Resolves when all of it is acknowledged, which lasts as long as the broker is away. */
  produce(order: ProducerOrder): Promise<void>
  stop(): void
}

export interface ProducerOptions {
  python: NodeJS.ProcessEnv
  brokers: string
  topics: Readonly<Record<string, string>>
  source: string
  baseMs: number
  /** The file for what was acknowledged. */
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
  child.once('exit', (code, signal) => fail(`The producer ended (${signal ?? code}).`))
  child.stdin.on('error', () => {})
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)

  return {
    produce(order) {
      if (failure) return Promise.reject(failure)
      const done = new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }))
      // Who waits for it later must not be too late to catch it.
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
