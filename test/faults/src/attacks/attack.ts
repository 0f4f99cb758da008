import type { FoundLetter } from '../oracle/dead-letter-log.ts'
import type { PublisherTopic } from './publisher.ts'

/** One publisher with a subscriber of its own, who publishes to one partition. */
export type Attacker = {
  readonly subscriberId: string
  readonly source: string
  readonly isShort: boolean
  /** A time a minute ago. */
  readonly timeMs: number
  publish(topic: PublisherTopic, messages: readonly AttackMessage[], batches?: Batches): Promise<void>
  /** Waits until everything published so far is committed. */
  committed(): Promise<void>
  /** How often MongoDB has used an index since its start. */
  indexUses(collection: string, index: string): Promise<number>
}

export type AttackMessage = {
  /** The subscriber's id if there is none. */
  readonly key?: string | null
  readonly value: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Batches = { readonly perBatch?: number; readonly codec?: 'none' | 'gzip' | 'zstd' }

/** The documents and dead letters expected once everything is committed. */
export type Expected = {
  /** The number of dead letters by their code; none if there are none. */
  readonly letters?: Readonly<Record<string, number>>
  readonly notifications?: number
  readonly changeEntries?: number
  readonly waitingReceipts?: number
  /** Finds the fault of a dead letter. */
  readonly wrongIn?: (letter: FoundLetter) => string | undefined
  /** Other faults that were found. */
  readonly wrong?: readonly string[]
}

export type Attack = {
  readonly name: string
  run(attacker: Attacker): Promise<Expected>
}
