import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from '@herald/runtime'
import type { Consumer, EachBatchPayload, TopicOffsets, TopicPartitionOffset } from 'kafkajs'

export type OffsetCommits = {
  /**
   * Marks the batch's partition as handled up to `offset`, exclusive, and commits it in the background. A commit takes some
   * milliseconds, during which the next chunk can be handled. A failed commit is retried.
   *
   * @throws kafkajs's own error when the commit before this one failed and this one fails as well; kafkajs learns from it
   *   that the partition was revoked
   */
  handled(payload: HandledBatch, offset: string): Promise<void>
  /** Resolves when all offsets are committed. */
  flush(): Promise<void>
}

type Send = (offsets: readonly TopicPartitionOffset[]) => Promise<void>
type HandledBatch = Pick<EachBatchPayload, 'batch' | 'commitOffsetsIfNecessary'>
type PassedOver = { topic: string; partition: number; batchSize: number; lastOffset: string }

/** The offset after this one. */
export const offsetBehind = (offset: string): string => String(BigInt(offset) + 1n)

/**
 * Commits a consumer's offsets, one commit at a time; partitions that are ready at the same moment share it.
 *
 * This includes transaction markers and aborted records, which kafkajs neither passes to the handler nor commits; the group
 * would appear to lag, and to be stuck, until the next record.
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
      logger.debug({ err: error }, 'Could not commit offsets, retrying with the next chunk or heartbeat')
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
  // Another member may have continued from here. Partitions that this one keeps are read again.
  consumer.on(GROUP_JOIN, () => {
    due.clear()
    send = sendPassedOver
  })

  return {
    async handled({ batch, commitOffsetsIfNecessary }, offset) {
      note(batch.topic, batch.partition, offset)
      // Unlike `consumer.commitOffsets`, this commits while the consumer stops and does not retry after a rebalance.
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
