import type { IncomingRecord } from '@herald/kafka'
import type { Checkpoint, VerifierKey } from '@herald/sealed-log'
import type { Acceptance } from '@herald/store'
import { readNote } from './read-note.ts'

/** The published checkpoints of a log, beyond what was accepted. */
export type PublishedLog = {
  /** The largest. */
  readonly newest?: Checkpoint | undefined
  /** Why it cannot be compared with the log. */
  readonly problem?: string | undefined
}

/** Keeps the published checkpoints of each log, some 300 bytes each. */
export function createPublishedLogs(origin: string) {
  const logs = new Map<string, PublishedLog>()
  const of = (subscriberId: string): PublishedLog => logs.get(subscriberId) ?? {}

  function add(subscriberId: string, { size, root }: Checkpoint, place: string): void {
    const { newest, problem } = of(subscriberId)
    if (newest?.size === size && Buffer.compare(newest.root, root) !== 0) {
      const twoOfOneSize = `Two checkpoints of size ${size} with different roots were published${place}`
      logs.set(subscriberId, { newest, problem: problem ?? twoOfOneSize })
    } else if (newest === undefined || size > newest.size) {
      // A copy, because the root is a part of a larger buffer.
      logs.set(subscriberId, { newest: { size, root: Buffer.from(root) }, ...(problem && { problem }) })
    }
  }

  return {
    of,
    subscribers: () => logs.keys(),
    replace: (subscriberId: string, log: PublishedLog): void => void logs.set(subscriberId, log),
    published: (subscriberId: string, checkpoint: Checkpoint): void => add(subscriberId, checkpoint, ''),
    /** @returns whether the record is a checkpoint under the name of a log */
    take(
      record: IncomingRecord,
      keysOf: (subscriberId: string) => readonly VerifierKey[],
      acceptedOf: (subscriberId: string) => Acceptance | undefined,
    ): boolean {
      const read = readNote(record.value, origin, keysOf)
      if (read.kind === 'other') return false
      const { subscriberId } = read
      const { partition, offset } = record
      const isAccepted = BigInt(offset) < (acceptedOf(subscriberId)?.offsets.get(partition) ?? 0n)
      if (isAccepted) return true
      const place = ` (offset ${offset} of partition ${partition})`
      if (read.kind === 'checkpoint') add(subscriberId, read.checkpoint, place)
      else {
        const { newest, problem } = of(subscriberId)
        const unknown = `A checkpoint under the name of this log was published that no known key has signed${place}: ${read.detail}`
        logs.set(subscriberId, { newest, problem: problem ?? unknown })
      }
      return true
    },
  }
}
