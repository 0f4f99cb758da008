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
