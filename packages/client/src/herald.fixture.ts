import { randomUUID } from 'node:crypto'
import { type SealingSettings, startHerald } from '@herald/local-herald'
import { createTopics, topicsWithSuffix } from '@herald/test-servers'
import type { TokenClaims } from '@herald/token-issuer'
import { Kafka, logLevel, type Message, Partitioners } from 'kafkajs'
import { MongoClient } from 'mongodb'
import { createHeraldClient, type HeraldClientOptions } from './client.ts'
import type { NewNotification } from './notifications.ts'

export type TestHerald = Awaited<ReturnType<typeof startTestHerald>>

/** Starts Herald for one test file, with its own database and topics. */
export async function startTestHerald(name: string, sealing?: SealingSettings) {
  const { KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env
  const servers = { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI }
  const unique = `client-${name}-${randomUUID().slice(0, 8)}`
  const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(unique))
  const environment = { KAFKA_GROUP_ID: unique, RATE_LIMIT_PER_MINUTE: '100000' }
  const herald = await startHerald({ servers, topics, database: unique, environment, ...(sealing && { sealing }) })
  const { baseUrl, tokens } = herald

  return {
    baseUrl,
    tokens,
    topics,
    query: herald.query,
    seal: herald.seal,
    /** Creates a user with every scope and a client for them. */
    async newUser(claims: Partial<TokenClaims> = {}, options: Partial<HeraldClientOptions> = {}) {
      const { sub: id = randomUUID(), subscriber_id: subscriberId = randomUUID() } = claims
      const token = await tokens.sign({ ...claims, sub: id, subscriber_id: subscriberId })
      return { id, subscriberId, token, client: createHeraldClient({ baseUrl, token, ...options }) }
    },
    async publish(topic: string, messages: Message[]) {
      const kafka = new Kafka({ brokers: servers.kafkaBrokers, logLevel: logLevel.NOTHING })
      const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
      await producer.connect()
      await producer.send({ topic, messages, acks: -1 })
      await producer.disconnect()
    },
    async stop() {
      await herald.stop()
      const mongodb = new MongoClient(servers.mongodbUri)
      await mongodb.db(unique).dropDatabase()
      await mongodb.close()
    },
  }
}

/** A mention of the recipients. */
export function mentionOf(recipientIds: readonly string[], snippet = 'See here'): NewNotification {
  return {
    type: 'mention',
    actorType: 'user',
    subjectId: randomUUID(),
    subjectType: 'user',
    locationId: randomUUID(),
    locationType: 'comment',
    metadata: { mention: { mentionerName: 'Ada', snippet, entityType: 'portfolio' } },
    recipientIds,
  }
}
