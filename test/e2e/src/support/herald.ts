import { randomBytes } from 'node:crypto'
import { createTopics, type HeraldTopics, type StartedHerald, startHerald, topicsWithSuffix } from '@herald/local-stack'
import { Kafka, logLevel, type Message, Partitioners, type RecordMetadata } from 'kafkajs'
import { type Db, MongoClient } from 'mongodb'
import { attachHerald } from './attached-herald.ts'
import { groupProgress } from './committed-offsets.ts'
import { createUser, type User, type UserClaims } from './user.ts'

/** A Herald that runs, whoever started it. */
export type RunningHerald = Pick<StartedHerald, 'baseUrl' | 'ingest' | 'query' | 'tokens'> & {
  topics: HeraldTopics
  databaseName: string
  groupId: string
}

/** A Herald of one test file, with a database and topics of its own. */
export type TestHerald = RunningHerald & {
  brokers: string[]
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

/** Starts a Herald for a test file; or takes the one that runs at `HERALD_BASE_URL`, unless settings are asked for. */
export async function startTestHerald(name: string, settings: NodeJS.ProcessEnv = {}): Promise<TestHerald> {
  const { HERALD_BASE_URL: baseUrl, HERALD_TOKEN_ISSUER: tokenIssuer } = process.env
  const isElsewhere = baseUrl && tokenIssuer && Object.keys(settings).length === 0
  return isElsewhere ? connect(await attachHerald(baseUrl, tokenIssuer)) : startOne(name, settings)
}

async function startOne(name: string, settings: NodeJS.ProcessEnv) {
  const servers = findServers()
  const unique = uniqueName(name)
  const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(unique))
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

/** What tests need beside the running programs: a producer, and a look at the store and at the group's offsets. */
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
    publish: (topic, messages) => producer.send({ topic, messages, acks: -1 }),
    progress: () => groupProgress(brokers, groupId, [topics.mention, topics.change, topics.receipt]),
    async stop() {
      await producer.disconnect()
      await mongodb.close()
    },
  }
}
