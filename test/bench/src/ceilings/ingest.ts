/**
 * The ceiling of ingest, with only the drivers of Kafka and MongoDB: parse, insert, commit. Durability, commits and the
 * number of indexes are those of Herald, in a clustered collection too; nothing is validated, derived or deduplicated.
 */
import process from 'node:process'
import { Kafka, logLevel } from 'kafkajs'
import { MongoClient } from 'mongodb'

const { KAFKA_BROKERS = '', KAFKA_GROUP_ID = '', TOPIC = '', MONGODB_URI = '', MONGODB_DATABASE = '' } = process.env
const mongo = new MongoClient(MONGODB_URI, { writeConcern: { w: 'majority', journal: true } })
const collection = mongo.db(MONGODB_DATABASE).collection(process.env.COLLECTION ?? 'events')
const kafka = new Kafka({ brokers: KAFKA_BROKERS.split(','), logLevel: logLevel.ERROR })
const consumer = kafka.consumer({ groupId: KAFKA_GROUP_ID })
await consumer.connect()
await consumer.subscribe({ topics: [TOPIC], fromBeginning: true })
await consumer.run({
  autoCommit: false,
  eachBatchAutoResolve: false,
  partitionsConsumedConcurrently: 6,
  eachBatch: async ({ batch, resolveOffset, uncommittedOffsets, commitOffsetsIfNecessary, heartbeat }) => {
    const events = batch.messages.map(({ value }) => JSON.parse((value as Buffer).toString()))
    await collection.insertMany(events, { ordered: false })
    resolveOffset(batch.lastOffset())
    await commitOffsetsIfNecessary(uncommittedOffsets())
    await heartbeat()
  },
})
console.log('running')
