import { type Admin, Kafka, logLevel } from 'kafkajs'
import { eventually } from '../processes/polling.ts'

/** A topic of several partitions and replicas, whose leaders a test moves. */
export type MovableTopic = {
  readonly topic: string
  /** Makes the first broker the leader of every partition. Clients do not hear of it before they ask or fail. */
  moveLeaders(): Promise<void>
  /** The number of records by partition that a call has added. */
  added(send: () => Promise<unknown>): Promise<number[]>
  /** Returns the values that a call of `count` records added. It is repeated if a busy broker has taken some twice. */
  addedOnce(send: () => Promise<unknown>, count: number): Promise<number[]>
}

const partitions = 8

/** Creates a topic on a cluster of two brokers, each of which leads some of its partitions. */
export async function createMovableTopic(brokers: readonly string[], topic: string): Promise<MovableTopic> {
  // A client of its own for each call, so that it knows the present leaders.
  const asAdmin = async <T>(ask: (admin: Admin) => Promise<T>): Promise<T> => {
    const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin()
    await admin.connect()
    return await ask(admin).finally(() => admin.disconnect())
  }
  const isLedBy = (count: number) =>
    asAdmin(async (admin) => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
      return new Set(topics.flatMap((found) => found.partitions.map(({ leader }) => leader))).size === count
    })
  const readCounts = () =>
    asAdmin(async (admin) => {
      const ends = await admin.fetchTopicOffsets(topic)
      return ends.toSorted((a, b) => a.partition - b.partition).map(({ high }) => Number(high))
    })
  // A broker may name the former leader for a moment.
  const counts = () => eventually(readCounts, { description: 'the numbers of records' })
  const added = async (send: () => Promise<unknown>) => {
    const before = await counts()
    await send()
    return (await counts()).map((count, partition) => count - (before[partition] ?? 0))
  }
  const topics = [{ topic, numPartitions: partitions, replicationFactor: 2 }]
  await asAdmin((admin) => admin.createTopics({ topics, waitForLeaders: false }))
  await eventually(() => isLedBy(2), { description: 'both brokers to lead partitions' })
  return {
    topic,
    async moveLeaders() {
      const partitionAssignment = Array.from({ length: partitions }, (_, partition) => ({ partition, replicas: [1] }))
      await asAdmin((admin) => admin.alterPartitionReassignments({ topics: [{ topic, partitionAssignment }] }))
      await eventually(() => isLedBy(1), { description: 'one broker to lead all partitions' })
    },
    added,
    async addedOnce(send, count) {
      for (;;) {
        const found = await added(send)
        const sum = found.reduce((all, one) => all + one)
        if (sum < count) throw new Error(`Only ${sum} of ${count} records were added`)
        if (sum === count) return found
      }
    },
  }
}
