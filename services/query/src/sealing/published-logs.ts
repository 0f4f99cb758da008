import type { PublishedLog } from '@herald/change-log'
import type { IncomingRecord } from '@herald/kafka'
import type { Checkpoint, VerifierKey } from '@herald/sealed-log'
import type { AcceptedLog } from './accepted-logs.ts'
import { readNote } from './read-note.ts'

type Log = {
  /** The largest. */
  readonly newest?: Checkpoint | undefined
  /** Why it cannot be compared with the log. */
  readonly problem?: string | undefined
}

/** The kind of a record. */
export type UsedAs = 'checkpoint' | 'foreign' | 'acceptance' | 'other'

export type PublishedLogsOptions = {
  readonly origin: string
  readonly keysOf: (subscriberId: string) => readonly VerifierKey[]
  readonly acceptedOf: (subscriberId: string) => AcceptedLog | undefined
  /** An acceptance, which may be anybody's. */
  readonly onAcceptance: (note: string) => void
}

/** Some 200 bytes each. The first ones stay: whoever floods the topic later removes none of them. */
const mostForeign = 200_000

/** Keeps the published checkpoints of each log, some 300 bytes each. */
export function createPublishedLogs({ origin, keysOf, acceptedOf, onAcceptance }: PublishedLogsOptions) {
  const logs = new Map<string, Log>()
  /** Where a log has a note that no known key has signed. Mostly nobody has such a log. */
  const foreign = new Map<string, string>()

  function add(subscriberId: string, { size, root }: Checkpoint, place: string): void {
    const { newest, problem } = logs.get(subscriberId) ?? {}
    if (newest?.size === size && Buffer.compare(newest.root, root) !== 0) {
      const twoOfOneSize = `Two checkpoints of size ${size} with different roots were published${place}`
      logs.set(subscriberId, { newest, problem: problem ?? twoOfOneSize })
    } else if (newest === undefined || size > newest.size) {
      // A copy, because the root is a part of a larger buffer.
      logs.set(subscriberId, { newest: { size, root: Buffer.from(root) }, ...(problem && { problem }) })
    }
  }

  return {
    of(subscriberId: string): PublishedLog & Pick<Log, 'problem'> {
      const { newest, problem } = logs.get(subscriberId) ?? {}
      const accepted = acceptedOf(subscriberId)
      const place = foreign.get(subscriberId)
      return {
        // An acceptance is published, too: the log may not go back behind it.
        newest: accepted !== undefined && accepted.size > (newest?.size ?? 0) ? accepted : newest,
        problem,
        accepted: accepted?.note,
        foreign: place && `A checkpoint under the name of this log was published that no known key has signed${place}`,
      }
    },
    subscribers: () => logs.keys(),
    foreignSubscribers: () => foreign.keys(),
    forget(subscriberId: string): void {
      logs.delete(subscriberId)
      foreign.delete(subscriberId)
    },
    published: (subscriberId: string, checkpoint: Checkpoint): void => add(subscriberId, checkpoint, ''),
    take(record: IncomingRecord, only?: string): UsedAs {
      const read = readNote(record.value, origin, keysOf)
      if (read.kind === 'acceptance') onAcceptance(read.note)
      if (read.kind === 'acceptance' || read.kind === 'other') return read.kind
      const { subscriberId } = read
      const { partition, offset } = record
      const isAccepted = BigInt(offset) < (acceptedOf(subscriberId)?.offsets.get(partition) ?? 0n)
      if (isAccepted || (only !== undefined && only !== subscriberId)) return read.kind
      const place = ` (offset ${offset} of partition ${partition})`
      if (read.kind === 'checkpoint') add(subscriberId, read.checkpoint, place)
      else if (foreign.size < mostForeign && !foreign.has(subscriberId)) foreign.set(subscriberId, place)
      return read.kind
    },
  }
}

export type PublishedLogs = ReturnType<typeof createPublishedLogs>
