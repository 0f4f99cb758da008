import type { Consumer, Kafka } from 'kafkajs'
import type { GroupMember, MemberEvents, MemberOptions } from '../consume/kafka-port.ts'
import { toPartitionBatch } from './partition-batch.ts'
import { limitShares } from './patched-kafkajs.ts'

/** Creates a member of a consumer group that commits only on request. */
export function createGroupMember(kafka: Kafka, { groupId, topics, shareOf }: MemberOptions): GroupMember {
  limitShares(topics, shareOf)
  const consumer = createConsumer(kafka, groupId)
  return {
    listen: (events) => listen(consumer, events),
    async run(handle) {
      await consumer.connect()
      // After an offset out of range, "latest" would skip records.
      await consumer.subscribe({ topics: [...topics], fromBeginning: true })
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: 6,
        eachBatch: (payload) => handle(toPartitionBatch(payload)),
      })
    },
    commit: (offsets) => consumer.commitOffsets([...offsets]),
    close: () => consumer.disconnect(),
  }
}

function createConsumer(kafka: Kafka, groupId: string): Consumer {
  return kafka.consumer({
    groupId,
    allowAutoTopicCreation: false,
    // How long the partitions of a killed member wait. Heartbeats continue while a chunk is handled.
    sessionTimeout: 10_000,
    // How long a rebalance waits at most for a member that is still handling a chunk.
    rebalanceTimeout: 30_000,
    // Also the time until a member learns that another one has left.
    heartbeatInterval: 1_000,
    // How long an idle fetch takes, and how long a stop or heartbeat may have to wait for it.
    maxWaitTimeInMs: 500,
    // About one chunk per partition, uncompressed: see `PartitionShare`.
    maxBytesPerPartition: 512 * 1024,
    maxBytes: 8 * 1024 * 1024,
    // The time until new partitions and moved leaders are discovered.
    metadataMaxAge: 60_000,
    retry: { retries: 5 },
  })
}

type EndOfBatch = { topic: string; partition: number; batchSize: number; lastOffset: string }

function listen(consumer: Consumer, events: Partial<MemberEvents>): void {
  const { joined, fetched, heartbeat, committed, skipped, crashed } = events
  const { GROUP_JOIN, FETCH, HEARTBEAT, COMMIT_OFFSETS, END_BATCH_PROCESS, CRASH } = consumer.events
  if (joined) consumer.on(GROUP_JOIN, ({ payload }) => joined(payload.memberAssignment))
  if (fetched) consumer.on(FETCH, () => fetched())
  if (heartbeat) consumer.on(HEARTBEAT, () => heartbeat())
  if (committed) consumer.on(COMMIT_OFFSETS, () => committed())
  if (crashed) consumer.on(CRASH, ({ payload }) => crashed({ error: payload.error, isFinal: !payload.restart }))
  // kafkajs neither passes on nor commits a batch of which it has filtered everything.
  if (skipped) {
    consumer.on(END_BATCH_PROCESS, ({ payload }: { payload: EndOfBatch }) => {
      const { topic, partition, batchSize, lastOffset } = payload
      if (batchSize === 0) skipped({ topic, partition, offset: String(BigInt(lastOffset) + 1n) })
    })
  }
}
