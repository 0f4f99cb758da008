import type { Kafka } from 'kafkajs'
import type { PartitionOffset } from '../port/kafka-port.ts'

/**
 * Commits offsets as the only member of a group. The admin of the client does it for one topic at a time, each of which takes it 5 s,
 * and stores no metadata.
 */
export async function setOffsets(kafka: Kafka, groupId: string, offsets: readonly PartitionOffset[]): Promise<void> {
  const topics = [...new Set(offsets.map(({ topic }) => topic))]
  const consumer = kafka.consumer({ groupId, allowAutoTopicCreation: false, maxWaitTimeInMs: 100 })
  await consumer.connect()
  try {
    await consumer.subscribe({ topics })
    await new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
      // Its generation is known from then on. A fetch from an offset that is out of range would reset it.
      consumer.on(consumer.events.FETCH_START, () => {
        consumer.commitOffsets([...offsets]).then(resolve, reject)
      })
      consumer.run({ autoCommit: false, eachBatch: async () => {} }).catch(reject)
      consumer.pause(topics.map((topic) => ({ topic })))
    })
  } finally {
    await consumer.disconnect()
  }
}
