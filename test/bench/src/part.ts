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
  /** Another checkout of Herald, built, to compare this one with. */
  readonly against?: string | undefined
  readonly log: (line: string) => void
}

/** A part of the benchmarks. */
export type Part = {
  readonly name: string
  readonly about: string
  /** By default. */
  readonly rounds: number
  /** Whether a run of all parts leaves it out, unless it is a smoke run. */
  readonly isOnlyByName?: boolean
  readonly run: (context: BenchContext) => Promise<Figure[]>
}

/** The rounds of {@link alternate}, those before the measured ones included. */
export const allRounds = ({ rounds, smoke }: Pick<BenchContext, 'rounds' | 'smoke'>) => (smoke ? rounds : rounds + 1)

/**
 * Measures contestants in turn, and returns each one's measurements in order. Each round starts with another one, and every
 * other round goes backwards, so that none always comes after the same one. One round before them does not count, if their
 * processes live on: V8 has not compiled anything yet, and the first turns would pay for it. A smoke test has no such round.
 */
export async function alternate<Name extends string, T>(
  context: Pick<BenchContext, 'rounds' | 'smoke' | 'log'>,
  contestants: Readonly<Record<Name, () => Promise<T>>>,
  show: (measured: T) => string,
  { warmUp = true }: { readonly warmUp?: boolean } = {},
): Promise<Record<Name, T[]>> {
  const names = Object.keys(contestants) as Name[]
  const measured = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<Name, T[]>
  const { rounds, log } = context
  const first = warmUp ? rounds - allRounds(context) + 1 : 1
  for (let round = first; round <= rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const order = round % 2 === 0 ? names : names.toReversed()
      const name = order[(turn + round) % names.length] as Name
      const result = await contestants[name]()
      if (round > 0) measured[name].push(result)
      log(`${round > 0 ? `round ${round} of ${rounds}` : 'warm-up'}, ${name}: ${show(result)}`)
    }
  }
  return measured
}
