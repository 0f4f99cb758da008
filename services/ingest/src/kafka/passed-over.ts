import type { Logger } from '@herald/runtime'
import type { Consumer, TopicPartitionOffset } from 'kafkajs'

type Batch = { topic: string; partition: number; batchSize: number; lastOffset: string }

/**
 * Commits what holds nothing for anybody: the marker of a transaction, and what was aborted. kafkajs passes over it without
 * a word to the handler and without a commit, so that the group would seem to lag, and to stand still, until the next record.
 */
export function commitPassedOver(consumer: Consumer, logger: Pick<Logger, 'debug'>): void {
  const { START_BATCH_PROCESS, END_BATCH_PROCESS, HEARTBEAT, GROUP_JOIN } = consumer.events
  const passed = new Map<string, TopicPartitionOffset>()

  const commit = async (): Promise<void> => {
    if (passed.size === 0) return
    const offsets = [...passed.values()]
    try {
      await consumer.commitOffsets(offsets)
      for (const [place, offset] of passed) if (offsets.includes(offset)) passed.delete(place)
    } catch (error) {
      logger.debug({ err: error }, 'Could not commit what was passed over, the next heartbeat tries again')
    }
  }

  const onEnd = ({ topic, partition, batchSize, lastOffset }: Batch): void => {
    if (batchSize > 0) return
    passed.set(`${topic}/${partition}`, { topic, partition, offset: String(BigInt(lastOffset) + 1n) })
    void commit()
  }

  // What comes next is committed with this before it.
  consumer.on(START_BATCH_PROCESS, ({ payload: { topic, partition } }) => void passed.delete(`${topic}/${partition}`))
  consumer.on(END_BATCH_PROCESS, ({ payload }) => onEnd(payload))
  consumer.on(HEARTBEAT, () => void commit())
  // Another member may have gone on from here; what is still this one's own is read again.
  consumer.on(GROUP_JOIN, () => passed.clear())
}
