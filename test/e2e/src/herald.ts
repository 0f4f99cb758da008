import { randomBytes } from 'node:crypto'
import { createTopics, type HeraldTopics, type StartedHerald, startHerald, topicsWithSuffix } from '@herald/local-stack'
import { Kafka, logLevel, type Message, Partitioners, type RecordMetadata } from 'kafkajs'
import { type Db, MongoClient } from 'mongodb'
import { groupProgress } from './committed-offsets.ts'
import { createUser, type User, type UserClaims } from './user.ts'

/** A Herald of one test file, with a database and topics of its own. */
export type TestHerald = Omit<StartedHerald, 'stop'> & {
  brokers: string[]
  topics: HeraldTopics
  database: Db
  newUser(claims?: UserClaims): Promise<User>
  publish(topic: string, messages: Message[]): Promise<RecordMetadata[]>
  /** How far ingest has come in all that it reads. */
  progress(): ReturnType<typeof groupProgress>
  stop(): Promise<void>
}

/** The servers of this run, which jest's set-up found. */
export function findServers() {
  const { KAFKA_BROKERS, MONGODB_URI } = process.env
  if (!KAFKA_BROKERS || !MONGODB_URI) throw new Error('KAFKA_BROKERS and MONGODB_URI are not set')
  return { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI }
}

/** A name that no other run or file has. */
export const uniqueName = (name: string) => `e2e-${name}-${randomBytes(4).toString('hex')}`

export async function startTestHerald(name: string, settings: NodeJS.ProcessEnv = {}): Promise<TestHerald> {
  const servers = findServers()
  const unique = uniqueName(name)
  const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(unique))
  const environment = { KAFKA_GROUP_ID: unique, RATE_LIMIT_PER_MINUTE: '100000', ...settings }
  const herald = await startHerald({ servers, database: unique, topics, environment })
  const mongodb = new MongoClient(servers.mongodbUri)
  const kafka = new Kafka({ clientId: unique, brokers: servers.kafkaBrokers, logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner, allowAutoTopicCreation: false })
  await producer.connect()

  return {
    ...herald,
    brokers: servers.kafkaBrokers,
    topics,
    database: mongodb.db(unique),
    newUser: (claims) => createUser(herald.baseUrl, herald.tokens, claims),
    publish: (topic, messages) => producer.send({ topic, messages, acks: -1 }),
    progress: () => groupProgress(servers.kafkaBrokers, unique, [topics.mention, topics.change, topics.receipt]),
    async stop() {
      await producer.disconnect()
      await herald.stop()
      await mongodb.db(unique).dropDatabase()
      await mongodb.close()
    },
  }
}
