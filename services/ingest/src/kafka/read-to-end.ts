import { randomUUID } from 'node:crypto'
import type { Kafka } from 'kafkajs'
import type { IncomingRecord } from '../events/incoming-record.ts'
import { toRecord } from './partition-batch.ts'

/** Reads a topic up to the end it has now. It uses a temporary consumer group, which it deletes afterwards. */
export async function readToEnd(
  kafka: Kafka,
  topic: string,
  each: (record: IncomingRecord) => Promise<void>,
): Promise<void> {
  const admin = kafka.admin()
  await admin.connect()
  const groupId = `herald-dead-letters-${randomUUID()}`
  const consumer = kafka.consumer({ groupId, allowAutoTopicCreation: false, maxWaitTimeInMs: 500 })
  try {
    const offsets = await admin.fetchTopicOffsets(topic)
    const open = new Map(
      offsets
        .filter(({ high, low }) => BigInt(high) > BigInt(low))
        .map(({ partition, high }) => [partition, BigInt(high)]),
    )
    if (open.size === 0) return
    await consumer.connect()
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    await new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
      const run = consumer.run({
        autoCommit: false,
        eachBatch: async ({ batch, heartbeat }) => {
          try {
            for (const message of batch.messages) {
              const end = open.get(batch.partition)
              if (end === undefined || BigInt(message.offset) >= end) break
              await each(toRecord(topic, batch.partition, message))
              await heartbeat()
            }
          } catch (error) {
            return reject(error)
          }
          if (BigInt(batch.lastOffset()) + 1n >= (open.get(batch.partition) ?? 0n)) open.delete(batch.partition)
          if (open.size === 0) resolve()
        },
      })
      run.catch(reject)
    })
  } finally {
    await consumer.disconnect()
    await admin.deleteGroups([groupId]).catch(() => {})
    await admin.disconnect()
  }
}
