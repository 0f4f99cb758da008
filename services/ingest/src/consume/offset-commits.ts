import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GroupMember, PartitionBatch, PartitionOffset } from '@herald/kafka'
import { type Logger, within } from '@herald/runtime'

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
  readonly limitMs?: number
}

export const offsetAfter = (offset: string): string => String(BigInt(offset) + 1n)

/**
 * Commits a member's offsets, one commit at a time; partitions that are ready at the same moment share it.
 *
 * This includes transaction markers and aborted records, which are read and not passed on; the group would appear to lag,
 * and to be stuck, until the next record.
 */
export function createOffsetCommits({ member, logger, onGivenUp, limitMs = 30_000 }: OffsetCommitsDependencies) {
  const due = new Map<string, PartitionOffset>()
  let send: PartitionBatch['commit'] = member.commit
  let committing: Promise<void> | undefined
  let failingSince: number | undefined

  const commitDue = async (): Promise<void> => {
    const beganAt = performance.now()
    try {
      await nextTurn()
      while (due.size > 0) {
        const offsets = [...due.values()]
        await within(limitMs, send(offsets))
        for (const [place, offset] of due) if (offsets.includes(offset)) due.delete(place)
      }
      failingSince = undefined
    } catch (error) {
      failingSince ??= beganAt
      if (performance.now() - failingSince > 1.5 * limitMs) onGivenUp(error as Error)
      throw error
    } finally {
      committing = undefined
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

  const note = (offset: PartitionOffset) => due.set(`${offset.topic}/${offset.partition}`, offset)
  const noteAndCommit = (offset: PartitionOffset): void => {
    note(offset)
    commitInBackground()
  }

  member.listen({
    skipped: noteAndCommit,
    recreated: noteAndCommit,
    heartbeat() {
      if (due.size > 0) commitInBackground()
    },
    // Another member may have continued from here. Partitions that this one keeps are read again.
    joined() {
      due.clear()
      failingSince = undefined
      send = member.commit
    },
  })

  return {
    /**
     * Marks the batch's partition as handled up to `nextOffset`, exclusive, and commits it in the background. A commit takes
     * some milliseconds, during which the next chunk can be handled. A failed commit is retried.
     *
     * @throws the client's own error when the commit before this one failed and this one fails as well; the member learns
     *   from it that the partition was revoked
     */
    async handled({ topic, partition, commit: commitInBatch }: HandledBatch, nextOffset: string): Promise<void> {
      note({ topic, partition, offset: nextOffset })
      // Unlike the member's own, this commits while the member stops and does not retry after a rebalance.
      send = commitInBatch
      if (failingSince !== undefined) await commit()
      else commitInBackground()
    },
    async flush(): Promise<void> {
      if (due.size > 0) await commit()
    },
  }
}
