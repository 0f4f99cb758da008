import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GroupMember, PartitionBatch, PartitionOffset } from '@herald/kafka'
import { type Logger, within } from '@herald/runtime'
import type { OffsetNotes } from '../restores/offset-notes.ts'

export type OffsetCommits = ReturnType<typeof createOffsetCommits>

type HandledBatch = Pick<PartitionBatch, 'topic' | 'partition' | 'commit'>

export type OffsetCommitsDependencies = {
  readonly member: Pick<GroupMember, 'listen' | 'commit'>
  readonly logger: Pick<Logger, 'debug'>
  /**
   * Called when all commits fail for one and a half times the limit of one, answered or not, although heartbeats do not: the
   * broker has not noticed yet that another one coordinates the group. A new member finds that one.
   */
  readonly onGivenUp: (error: Error) => void
  /** Notes offsets before they are committed. */
  readonly notes?: Pick<OffsetNotes, 'before' | 'forget'> | undefined
  readonly limitMs?: number
  readonly pace?: CommitPace | undefined
}

/** A commit waits until nothing was handled for `quietMs`, but no longer than `latestMs`, nor for more than `records`. */
export type CommitPace = { readonly quietMs: number; readonly latestMs: number; readonly records: number }

/** Where few events arrive, a commit for each would cost as much as storing it. A redelivered event is refused by its key. */
const unhurried: CommitPace = { quietMs: 100, latestMs: 1_000, records: 500 }

export const offsetAfter = (offset: string): string => String(BigInt(offset) + 1n)

/**
 * Commits a member's offsets, one commit at a time, for all that was handled within its {@link CommitPace}.
 *
 * This includes transaction markers and aborted records, which are read and not passed on; the group would appear to lag,
 * and to be stuck, until the next record.
 */
export function createOffsetCommits(dependencies: OffsetCommitsDependencies) {
  const { member, logger, onGivenUp, notes, limitMs = 30_000, pace = unhurried } = dependencies
  const due = new Map<string, PartitionOffset>()
  let timer: NodeJS.Timeout | undefined
  let latestAt = Infinity
  let records = 0
  let isLeaving = false
  let send: PartitionBatch['commit'] = member.commit
  let committing: Promise<void> | undefined
  let failingSince: number | undefined

  const stopWaiting = (): void => {
    clearTimeout(timer)
    latestAt = Infinity
    records = 0
  }

  const commitDue = async (): Promise<void> => {
    const beganAt = performance.now()
    stopWaiting()
    try {
      await nextTurn()
      const offsets = [...due.values()]
      const noted = notes && offsets.length > 0 ? await notes.before(offsets) : offsets
      if (noted.length > 0) await within(limitMs, send(noted))
      for (const [place, offset] of due) if (offsets.includes(offset)) due.delete(place)
      failingSince = undefined
    } catch (error) {
      failingSince ??= beganAt
      if (performance.now() - failingSince > 1.5 * limitMs) onGivenUp(error as Error)
      throw error
    } finally {
      committing = undefined
      if (due.size > 0 && failingSince === undefined) commitSoon()
    }
  }

  const commit = (): Promise<void> => {
    committing ??= commitDue()
    return committing
  }

  const commitInBackground = (): void => {
    commit().catch((error: unknown) => {
      logger.debug({ err: error }, 'Could not commit offsets, retrying with the next chunk or heartbeat')
    })
  }

  const commitSoon = (): void => {
    clearTimeout(timer)
    if (isLeaving || records >= pace.records) commitInBackground()
    else {
      const now = performance.now()
      latestAt = Math.min(latestAt, now + pace.latestMs)
      timer = setTimeout(commitInBackground, Math.min(pace.quietMs, latestAt - now))
    }
  }

  const flush = async (): Promise<void> => {
    while (due.size > 0) await commit()
  }

  const note = (offset: PartitionOffset) => due.set(`${offset.topic}/${offset.partition}`, offset)

  member.listen({
    skipped(offset) {
      note(offset)
      commitSoon()
    },
    recreated(offset) {
      note(offset)
      commitInBackground()
    },
    heartbeat() {
      if (failingSince !== undefined) commitInBackground()
    },
    // Another member may have continued from here. Partitions that this one keeps are read again.
    joined() {
      due.clear()
      stopWaiting()
      notes?.forget()
      failingSince = undefined
      send = member.commit
    },
  })

  return {
    /**
     * Marks the batch's partition as handled up to `nextOffset`, exclusive, and commits it in the background. A failed commit
     * is retried.
     *
     * @throws the client's own error when the commit before this one failed and this one fails as well; the member learns
     *   from it that the partition was revoked
     */
    async handled(
      { topic, partition, commit: commitInBatch }: HandledBatch,
      nextOffset: string,
      handledRecords: number,
    ): Promise<void> {
      note({ topic, partition, offset: nextOffset })
      // Unlike the member's own, this commits while the member stops and does not retry after a rebalance.
      send = commitInBatch
      records += handledRecords
      if (failingSince !== undefined) await commit()
      else commitSoon()
    },
    flush,
    /** Commits everything, and what is handled from now on at once: the member is about to leave its group. */
    leave(): Promise<void> {
      isLeaving = true
      return flush()
    },
    stop: stopWaiting,
  }
}
