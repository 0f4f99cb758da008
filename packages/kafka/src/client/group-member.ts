import type { Consumer, Kafka } from 'kafkajs'
import type { GroupMember, MemberEvents, MemberOptions } from '../port/kafka-port.ts'
import { toPartitionBatch } from './partition-batch.ts'
import { limitShares, onTopicDeleted } from './patched-kafkajs.ts'

export function createGroupMember(kafka: Kafka, { groupId, topics, shareOf }: MemberOptions): GroupMember {
  limitShares(topics, shareOf)
  const consumer = createConsumer(kafka, groupId)
  const holdings = trackHoldings(consumer)
  const listeners: Partial<MemberEvents>[] = []
  const stopListening = onTopicDeleted((topic) => {
    for (const partition of holdings.renew(topic)) {
      const start = { topic, partition, offset: '0' }
      consumer.seek(start)
      for (const { recreated } of listeners) recreated?.(start)
    }
  })
  return {
    listen(events) {
      listeners.push(events)
      listen(consumer, events)
    },
    async run(handle) {
      await consumer.connect()
      // After an offset out of range, "latest" would skip records.
      await consumer.subscribe({ topics: [...topics], fromBeginning: true })
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: 6,
        eachBatch: (payload) => handle(toPartitionBatch(payload, holdings.lossOf(payload.batch))),
      })
    },
    commit: (offsets) => consumer.commitOffsets([...offsets]),
    async close() {
      stopListening()
      await consumer.disconnect()
    },
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
    // A restarted member would return to the broker at which it crashed, even if that one no longer responds.
    retry: { retries: 5, restartOnFailure: async () => false },
  })
}

type Holding = { readonly topic: string; readonly partition: number; isRead: boolean }

function trackHoldings(consumer: Consumer) {
  const placeOf = (topic: string, partition: number) => `${topic}/${partition}`
  let held = new Map<string, Holding>()
  let memberId = ''
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    // A member that was expelled meanwhile joins under a new id: others may have committed more.
    const before = payload.memberId === memberId ? held : new Map<string, Holding>()
    memberId = payload.memberId
    held = new Map()
    for (const [topic, partitions] of Object.entries<number[]>(payload.memberAssignment)) {
      for (const partition of partitions) {
        const place = placeOf(topic, partition)
        held.set(place, before.get(place) ?? { topic, partition, isRead: true })
      }
    }
  })
  return {
    /** Returns a function that says whether the member has lost the partition since. */
    lossOf({ topic, partition }: { readonly topic: string; readonly partition: number }) {
      const holding = held.get(placeOf(topic, partition))
      if (holding) holding.isRead = true
      return () => held.get(placeOf(topic, partition)) !== holding
    },
    /** Begins the partitions of a topic anew, and returns those of which anything was read since that was last done. */
    renew(topic: string): number[] {
      const read = [...held.values()].filter((holding) => holding.topic === topic && holding.isRead)
      for (const { partition } of read) held.set(placeOf(topic, partition), { topic, partition, isRead: false })
      return read.map(({ partition }) => partition)
    },
  }
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
