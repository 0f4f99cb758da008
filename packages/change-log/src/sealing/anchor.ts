import type { Hold } from '@herald/mongo'
import type { Checkpoint } from '@herald/sealed-log'
import type { SignedCheckpoint } from './checkpoints.ts'

export type PublishedCheckpoint = SignedCheckpoint & { readonly subscriberId: string }

/** A log as it was published. */
export type PublishedLog = {
  /** The newest. */
  readonly newest?: Checkpoint | undefined
  /** A note under its name that no known key has signed. It concerns only logs with entries. */
  readonly foreign?: string | undefined
  /** The last acceptance of an operator. */
  readonly accepted?: string | undefined
}

/** Where checkpoints are published outside the database, so that a restored or changed database shows. */
export type Anchor = {
  /** Reads what was published since the last call, by whomever. Resolves to `false` if `hold` did. */
  catchUp(hold: Hold): Promise<boolean>
  /** The logs of which something was published. */
  subscribers(): Iterable<string>
  /**
   * Returns the published state of a log, without records that an operator has accepted.
   *
   * @param isStopped looks again for what an operator has accepted
   * @throws LogConflict if something was published that cannot be compared
   */
  look(subscriberId: string, isStopped: boolean): Promise<PublishedLog>
  /** Everything of a log up to this size was published; `undefined` if it has nothing of the log. */
  publishedSize(subscriberId: string): number | undefined
  /** Publishes in this order. After an error some may be published. */
  publish(checkpoints: readonly PublishedCheckpoint[]): Promise<void>
}
