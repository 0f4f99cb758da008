import type { Hold } from '@herald/mongo'
import type { Checkpoint } from '@herald/sealed-log'
import type { SignedCheckpoint } from './checkpoints.ts'

export type PublishedCheckpoint = SignedCheckpoint & { readonly subscriberId: string }

/** Where checkpoints are published outside the database, so that a restored or changed database shows. */
export type Anchor = {
  /** Reads what was published since the last call, by whomever. Resolves to `false` if `hold` did. */
  catchUp(hold: Hold): Promise<boolean>
  /** The logs of which something was published. */
  subscribers(): Iterable<string>
  /**
   * The newest that was published of a log; what an operator has accepted does not count.
   *
   * @param isStopped looks again for what an operator has accepted
   * @throws LogConflict if something was published that cannot be compared
   */
  newest(subscriberId: string, isStopped: boolean): Promise<Checkpoint | undefined>
  /** Everything of a log up to this size was published; `undefined` if it has nothing of the log. */
  publishedSize(subscriberId: string): number | undefined
  /** Publishes in this order. After an error some may be published. */
  publish(checkpoints: readonly PublishedCheckpoint[]): Promise<void>
}
