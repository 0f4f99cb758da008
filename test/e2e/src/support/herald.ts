import { randomBytes } from 'node:crypto'
import { type StartedHerald, startHerald } from '@herald/local-herald'
import { createTopics, type HeraldTopics, topicsWithSuffix } from '@herald/test-servers'
import { Kafka, logLevel, type Message, Partitioners, type RecordMetadata } from 'kafkajs'
import { type Db, MongoClient } from 'mongodb'
import { attachHerald } from './attached-herald.ts'
import { batchesOf } from './batches.ts'
import { groupProgress } from './committed-offsets.ts'
import { createUser, type User, type UserClaims } from './user.ts'

/** A running Herald, started by the test or attached to. */
export type RunningHerald = Pick<StartedHerald, 'baseUrl' | 'ingest' | 'query' | 'seal' | 'tokens'> & {
  topics: HeraldTopics
  databaseName: string
  groupId: string
}

/** The Herald of one test file, with its own database and topics. */
export type TestHerald = RunningHerald & {
  brokers: string[]
  database: Db
  newUser(claims?: UserClaims): Promise<User>
  /** Publishes in requests of at most 500 records. */
  publish(topic: string, messages: Message[]): Promise<RecordMetadata[]>
  /** Which records ingest has committed. */
  progress(): ReturnType<typeof groupProgress>
  stop(): Promise<void>
}

export const recordsPerRequest = 500

/** The servers that Jest's global setup found or started. */
export function findServers() {
  const { KAFKA_BROKERS, MONGODB_URI } = process.env
  if (!KAFKA_BROKERS || !MONGODB_URI) throw new Error('KAFKA_BROKERS and MONGODB_URI are not set')
  return { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI }
}

/** A name that is unique across runs and test files. */
export const uniqueName = (name: string) => `e2e-${name}-${randomBytes(4).toString('hex')}`

/** Starts a Herald for a test file, or attaches to `HERALD_BASE_URL` where that is set and no settings are given. */
export async function startTestHerald(name: string, settings: NodeJS.ProcessEnv = {}): Promise<TestHerald> {
  const { HERALD_BASE_URL: baseUrl, HERALD_TOKEN_ISSUER: tokenIssuer } = process.env
  const isAttached = baseUrl && tokenIssuer && Object.keys(settings).length === 0
  return isAttached ? connect(await attachHerald(baseUrl, tokenIssuer)) : startOwn(name, settings)
}

async function startOwn(name: string, settings: NodeJS.ProcessEnv) {
  const servers = findServers()
  const unique = uniqueName(name)
  const notification = settings.KAFKA_NOTIFICATION_TOPIC
  const topics = await createTopics(servers.kafkaBrokers, { ...topicsWithSuffix(unique), notification })
  const environment = { KAFKA_GROUP_ID: unique, RATE_LIMIT_PER_MINUTE: '100000', ...settings }
  const herald = await startHerald({ servers, database: unique, topics, environment })
  const connected = await connect({ ...herald, databaseName: unique, groupId: unique })
  return {
    ...connected,
    async stop() {
      await herald.stop()
      await connected.database.dropDatabase()
      await connected.stop()
    },
  }
}

/** Adds a producer and read access to the store and to the group's offsets. */
async function connect(herald: RunningHerald): Promise<TestHerald> {
  const { databaseName, groupId, topics } = herald
  const { kafkaBrokers: brokers, mongodbUri } = findServers()
  const mongodb = new MongoClient(mongodbUri)
  const kafka = new Kafka({ clientId: uniqueName('tests'), brokers, logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner, allowAutoTopicCreation: false })
  await producer.connect()

  return {
    ...herald,
    brokers,
    database: mongodb.db(databaseName),
    newUser: (claims) => createUser(herald.baseUrl, herald.tokens, claims),
    async publish(topic, messages) {
      const metadata: RecordMetadata[] = []
      for (const batch of batchesOf(messages, recordsPerRequest)) {
        metadata.push(...(await producer.send({ topic, messages: batch, acks: -1 })))
      }
      return metadata
    },
    progress: () => groupProgress(brokers, groupId, [topics.mention, topics.change, topics.receipt, topics.privacy]),
    async stop() {
      await producer.disconnect()
      await mongodb.close()
    },
  }
}
