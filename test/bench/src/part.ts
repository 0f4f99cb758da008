import type { StartedServers } from '@herald/test-servers'
import type { MongoClient } from 'mongodb'
import type { MeasuredProcesses } from './cpu-time.ts'
import type { Figure } from './figure.ts'

export type BenchContext = {
  readonly servers: StartedServers
  readonly client: MongoClient
  /** MongoDB and the broker, if they are processes of this machine. */
  readonly serverProcesses: MeasuredProcesses
  readonly rounds: number
  /** Whether the run only checks that everything works: small numbers and meaningless figures. */
  readonly smoke: boolean
  readonly log: (line: string) => void
}

/** A part of the benchmarks. */
export type Part = {
  readonly name: string
  readonly about: string
  /** By default. */
  readonly rounds: number
  /** Whether MongoDB gets a large cache: see `cache-size.ts`. */
  readonly hasLargeCache?: true
  readonly run: (context: BenchContext) => Promise<Figure[]>
}

/** Measures contestants in turn, starting each round with another one, and returns each one's measurements in order. */
export async function alternate<Name extends string, T>(
  { rounds, log }: Pick<BenchContext, 'rounds' | 'log'>,
  contestants: Readonly<Record<Name, () => Promise<T>>>,
  show: (measured: T) => string,
): Promise<Record<Name, T[]>> {
  const names = Object.keys(contestants) as Name[]
  const measured = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<Name, T[]>
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round) % names.length] as Name
      const result = await contestants[name]()
      measured[name].push(result)
      log(`round ${round + 1} of ${rounds}, ${name}: ${show(result)}`)
    }
  }
  return measured
}
