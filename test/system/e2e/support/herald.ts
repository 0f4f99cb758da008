import { type AttachedHerald, attachHerald } from '@herald/local-herald'
import { Kafka, logLevel, type Message, Partitioners, type RecordMetadata } from 'kafkajs'
import { type Db, MongoClient } from 'mongodb'
import { batchesOf } from './batches.ts'
import { groupProgress, untilConsumed } from './committed-offsets.ts'
import { findServers, uniqueName } from './servers.ts'
import { createUser, type User, type UserClaims } from './user.ts'

/** A Herald with what a test file needs to use it and to look into its servers. */
export type TestHerald = AttachedHerald & {
  brokers: string[]
  database: Db
  newUser(claims?: UserClaims): Promise<User>
  /** Publishes in requests of at most 500 records. */
  publish(topic: string, messages: Message[]): Promise<RecordMetadata[]>
  /** Returns the offsets that ingest has committed. */
  progress(): ReturnType<typeof groupProgress>
  /** Waits until ingest has committed all that was published to its topics before. */
  untilConsumed(withinMs?: number): Promise<void>
  disconnect(): Promise<void>
}

export const recordsPerRequest = 500

/**
 * Connects to the Herald that all files share, or to the one that `HERALD_BASE_URL` names. Others use it at the same time: each
 * test has subscribers of its own.
 */
export const useSharedHerald = async (): Promise<TestHerald> => connect(await attachHerald())

/** Adds a producer, and read access to the store and to the group's offsets. */
export async function connect(herald: AttachedHerald): Promise<TestHerald> {
  const { databaseName, groupId, topics } = herald
  const { kafkaBrokers: brokers, mongodbUri } = findServers()
  const mongodb = new MongoClient(mongodbUri)
  const kafka = new Kafka({ clientId: uniqueName('tests'), brokers, logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner, allowAutoTopicCreation: false })
  let connecting: Promise<void> | undefined
  const consumed = [topics.mention, topics.change, topics.receipt, topics.privacy]

  return {
    ...herald,
    brokers,
    database: mongodb.db(databaseName),
    newUser: (claims) => createUser(herald.baseUrl, herald.tokens, claims),
    async publish(topic, messages) {
      connecting ??= producer.connect()
      await connecting
      const metadata: RecordMetadata[] = []
      for (const batch of batchesOf(messages, recordsPerRequest)) {
        metadata.push(...(await producer.send({ topic, messages: batch, acks: -1 })))
      }
      return metadata
    },
    progress: () => groupProgress(brokers, groupId, consumed),
    untilConsumed: (withinMs) => untilConsumed({ brokers, groupId, topics: consumed, withinMs }),
    async disconnect() {
      await producer.disconnect()
      await mongodb.close()
    },
  }
}
