/**
 * The ceiling of ingest, with only the drivers of Kafka and MongoDB: parse, insert, commit. Durability and commits are those
 * of Herald; nothing is validated, derived or deduplicated. With PER_RECIPIENT the event is stored once for each recipient, under
 * Herald's key, without a document for the fan-out.
 *
 * It has Herald's tricks: commits run behind the next fetch, and the partitions of a fetch are handled concurrently. Variants
 * were compared by CPU time per event on a busy machine, as medians of two runs of two or three rounds, relative to
 * kafkajs's default of 1 MiB per partition: 4 MiB, which is used here, 0.84 and 0.99; 512 KiB 1.01 and 1.05; inserts in chunks
 * of 1,000 0.95 and 1.04; unordered `bulkWrite` 0.96 and 1.01. On a free machine, blocks of 16 KB as Herald's collection has them
 * changed neither the rate nor MongoDB's CPU time (median of three rounds).
 */
import process from 'node:process'
import { Kafka, logLevel } from 'kafkajs'
import { Binary, MongoClient, type ObjectId } from 'mongodb'

const { KAFKA_BROKERS = '', KAFKA_GROUP_ID = '', TOPIC = '', MONGODB_URI = '', MONGODB_DATABASE = '' } = process.env
const { COLLECTION = '', BYTES_PER_PARTITION = '', PER_RECIPIENT } = process.env
const mongo = new MongoClient(MONGODB_URI, { writeConcern: { w: 'majority', journal: true } })
const collection = mongo.db(MONGODB_DATABASE).collection<{ _id: Binary | ObjectId }>(COLLECTION)
const kafka = new Kafka({ brokers: KAFKA_BROKERS.split(','), logLevel: logLevel.ERROR })
const consumer = kafka.consumer({
  groupId: KAFKA_GROUP_ID,
  maxWaitTimeInMs: 500,
  maxBytesPerPartition: Number(BYTES_PER_PARTITION),
})

const handled = new Map<number, string>()
let committing: Promise<void> | undefined

/** Commits behind the next fetch: one request at a time, with the newest offsets of all partitions. */
function commitBehind(): void {
  committing ??= (async () => {
    while (handled.size > 0) {
      const offsets = [...handled].map(([partition, offset]) => ({ topic: TOPIC, partition, offset }))
      handled.clear()
      await consumer.commitOffsets(offsets)
    }
    committing = undefined
  })()
}

type Mention = { readonly id: string; readonly subscriberid: string; readonly data: { recipientIds: string[] } }

const bytes = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex')

function perRecipient({ data: { recipientIds, ...data }, ...event }: Mention) {
  const [subscriber, id] = [bytes(event.subscriberid), bytes(event.id)]
  return recipientIds.map((recipient) => ({
    _id: new Binary(Buffer.concat([subscriber, bytes(recipient), id])),
    ...event,
    data,
    box: 0,
  }))
}

await consumer.connect()
await consumer.subscribe({ topics: [TOPIC], fromBeginning: true })
await consumer.run({
  autoCommit: false,
  eachBatchAutoResolve: false,
  partitionsConsumedConcurrently: 6,
  eachBatch: async ({ batch, resolveOffset, heartbeat }) => {
    const events = batch.messages.map(({ value }) => JSON.parse((value as Buffer).toString()))
    await collection.insertMany(PER_RECIPIENT ? events.flatMap(perRecipient) : events, { ordered: false })
    resolveOffset(batch.lastOffset())
    handled.set(batch.partition, String(BigInt(batch.lastOffset()) + 1n))
    commitBehind()
    await heartbeat()
  },
})
process.once('SIGTERM', async () => {
  await consumer.stop()
  await committing
  await consumer.disconnect()
  await mongo.close()
})
console.log('running')
