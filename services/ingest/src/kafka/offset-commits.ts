import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from '@herald/runtime'
import type { Consumer, EachBatchPayload, TopicOffsets, TopicPartitionOffset } from 'kafkajs'

export type OffsetCommits = {
  /**
   * Told that all of the batch's partition below `offset` is handled, and commits it behind the caller, who may go on: a broker takes
   * some milliseconds over it, and what was fetched meanwhile need not wait. What could not be committed comes again.
   *
   * @throws kafkajs's own errors, when the commit before this one failed: they tell it that the partition was taken away
   */
  handled(payload: HandledBatch, offset: string): Promise<void>
  /** Waits until all of it is committed. */
  flush(): Promise<void>
}

type Send = (offsets: readonly TopicPartitionOffset[]) => Promise<void>
type HandledBatch = Pick<EachBatchPayload, 'batch' | 'commitOffsetsIfNecessary'>
type PassedOver = { topic: string; partition: number; batchSize: number; lastOffset: string }

/** The offset to go on from behind this one. */
export const offsetBehind = (offset: string): string => String(BigInt(offset) + 1n)

/**
 * Commits a consumer's offsets, one commit at a time; partitions that are ready at the same moment share it.
 *
 * Also of what holds nothing for anybody: the marker of a transaction, and what was aborted. kafkajs passes over it without
 * a word to the handler and without a commit, so that the group would seem to lag, and to stand still, until the next record.
 */
export function createOffsetCommits(consumer: Consumer, logger: Pick<Logger, 'debug'>): OffsetCommits {
  const { END_BATCH_PROCESS, HEARTBEAT, GROUP_JOIN } = consumer.events
  const due = new Map<string, TopicPartitionOffset>()
  const sendPassedOver: Send = (offsets) => consumer.commitOffsets([...offsets])
  let send = sendPassedOver
  let committing: Promise<void> | undefined
  let hasFailed = false

  const commitDue = async (): Promise<void> => {
    try {
      await nextTurn()
      while (due.size > 0) {
        const offsets = [...due.values()]
        await send(offsets)
        for (const [place, offset] of due) if (offsets.includes(offset)) due.delete(place)
      }
      hasFailed = false
    } catch (error) {
      hasFailed = true
      throw error
    } finally {
      committing = undefined
    }
  }

  const commit = (): Promise<void> => {
    committing ??= commitDue()
    return committing
  }

  const commitBehind = (): void => {
    commit().catch((error: unknown) => {
      logger.debug({ err: error }, 'Could not commit, the next chunk or heartbeat tries again')
    })
  }

  const note = (topic: string, partition: number, offset: string): void => {
    due.set(`${topic}/${partition}`, { topic, partition, offset })
  }

  consumer.on(END_BATCH_PROCESS, ({ payload }: { payload: PassedOver }) => {
    if (payload.batchSize > 0) return
    note(payload.topic, payload.partition, offsetBehind(payload.lastOffset))
    commitBehind()
  })
  consumer.on(HEARTBEAT, () => {
    if (due.size > 0) commitBehind()
  })
  // Another member may have gone on from here; what is still this one's own is read again.
  consumer.on(GROUP_JOIN, () => {
    due.clear()
    send = sendPassedOver
  })

  return {
    async handled({ batch, commitOffsetsIfNecessary }, offset) {
      note(batch.topic, batch.partition, offset)
      // Unlike the consumer's own this one commits while the consumer stops, and doesn't go on trying after a rebalance.
      send = (offsets) => commitOffsetsIfNecessary({ topics: byTopic(offsets) })
      if (hasFailed) await commit()
      else commitBehind()
    },
    async flush() {
      if (due.size > 0) await commit()
    },
  }
}

function byTopic(offsets: readonly TopicPartitionOffset[]): TopicOffsets[] {
  return Object.entries(Object.groupBy(offsets, ({ topic }) => topic)).map(([topic, partitions = []]) => ({
    topic,
    partitions: partitions.map(({ partition, offset }) => ({ partition, offset })),
  }))
}
