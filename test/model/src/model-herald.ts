import { randomBytes, randomUUID } from 'node:crypto'
import { startHerald } from '@herald/local-herald'
import { createTopics, topicsWithSuffix } from '@herald/test-servers'
import { createClient } from './client.ts'
import { createEventPublisher, type EventPublisher } from './event-publisher.ts'
import { createWorld, type World } from './operations.ts'

export type ModelHerald = {
  readonly publisher: EventPublisher
  /** Two users of one subscriber, and a user of another subscriber with the id of the first. */
  newWorld(): Promise<World>
  stop(): Promise<void>
}

/** Starts a Herald for a test file, with its own database and topics. */
export async function startModelHerald(file: string): Promise<ModelHerald> {
  const { KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env
  const servers = { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI }
  const name = `model-${file}-${randomBytes(4).toString('hex')}`
  const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(name))
  const environment = { KAFKA_GROUP_ID: name, RATE_LIMIT_PER_MINUTE: '1000000', LOG_LEVEL: 'warn' }
  const herald = await startHerald({ servers, database: name, topics, environment })
  const publisher = await createEventPublisher(servers.kafkaBrokers, topics, name).catch(async (error) => {
    await herald.stop()
    throw error
  })
  return {
    publisher,
    async newWorld() {
      const [first, second, subscriber, otherSubscriber] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
      const recipients = [
        { subscriberId: subscriber, userId: first },
        { subscriberId: subscriber, userId: second },
        { subscriberId: otherSubscriber, userId: first },
      ]
      const clients = recipients.map(async (recipient) => {
        const claims = { sub: recipient.userId, subscriber_id: recipient.subscriberId, name: 'Ada', picture: '' }
        return createClient(herald.baseUrl, await herald.tokens.sign(claims), recipient)
      })
      return createWorld(await Promise.all(clients))
    },
    async stop() {
      await publisher.stop().finally(() => herald.stop())
    },
  }
}
