import { Kafka, logLevel } from 'kafkajs'

type Place = { readonly groupId: string; readonly topic: string; readonly partition: number; readonly offset: number }

/** Commits an offset for a group without members. `setOffsets` does so too, but each call takes 5 s. */
export async function commitOffset(brokers: readonly string[], place: Place): Promise<void> {
  const { groupId, topic, partition, offset } = place
  const kafka = new Kafka({ clientId: 'test', brokers: [...brokers], logLevel: logLevel.NOTHING })
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topic })
  try {
    await new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.FETCH_START, () => {
        consumer.commitOffsets([{ topic, partition, offset: String(offset) }]).then(resolve, reject)
      })
      consumer.run({ autoCommit: false, eachBatch: async () => {} }).catch(reject)
      // A fetch from an offset that is out of range would reset it.
      consumer.pause([{ topic }])
    })
  } finally {
    await consumer.disconnect()
  }
}
