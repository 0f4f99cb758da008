import { randomUUID } from 'node:crypto'
import { type StartedHerald, startHerald } from '@herald/local-herald'
import { createTopics, eventually, type HeraldTopics, topicsWithSuffix } from '@herald/test-servers'
import { MongoClient } from 'mongodb'

export type TestHerald = Omit<StartedHerald, 'stop'> & {
  readonly brokers: readonly string[]
  readonly mongodbUri: string
  readonly database: string
  stop(): Promise<void>
}

/** Starts Herald for one test, with its own database and topics. */
export async function startTestHerald(
  name: string,
  settings: NodeJS.ProcessEnv = {},
  topicNames?: HeraldTopics,
  node?: string,
): Promise<TestHerald> {
  const { KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env
  const servers = { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI }
  const database = `packages-${name}-${randomUUID().slice(0, 8)}`
  const topics = await createTopics(servers.kafkaBrokers, topicNames ?? topicsWithSuffix(database))
  const environment = { KAFKA_GROUP_ID: database, RATE_LIMIT_PER_MINUTE: '100000', ...settings }
  const herald = await startHerald({ servers, topics, database, environment, ...(node === undefined ? {} : { node }) })
  return {
    ...herald,
    brokers: servers.kafkaBrokers,
    mongodbUri: MONGODB_URI,
    database,
    async stop() {
      await herald.stop()
      const mongodb = new MongoClient(MONGODB_URI)
      await mongodb.db(database).dropDatabase()
      await mongodb.close()
    },
  }
}

/** Waits until the condition is met, and returns the value that met it. */
export async function until<T>(read: () => Promise<T>, condition: (value: T) => boolean): Promise<T> {
  const { value } = await eventually(async () => {
    const value = await read()
    if (!condition(value)) throw new Error(`The condition is not met by ${JSON.stringify(value)}`)
    return { value }
  })
  return value
}
