import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { nodeArguments } from '@herald/local-herald'
import { type HeraldTopics, startProgram } from '@herald/test-servers'
import { createTokenIssuer } from '@herald/token-issuer'
import type { Collection, Db, Document } from 'mongodb'
import { layouts } from '../layout/layouts.ts'
import { migrate } from '../migrate.ts'
import { serviceSettings } from '../settings.ts'
import { startBuilt } from '../start-built.ts'

/** A program that drains a topic into a collection. */
export type Contestant = {
  readonly pids: readonly number[]
  readonly collection: Collection<Document>
  stop(): Promise<void>
}

export type DrainOptions = {
  readonly brokers: readonly string[]
  readonly mongodbUri: string
  /** An empty database. */
  readonly database: Db
  readonly topics: HeraldTopics
  readonly topic: 'mention' | 'change'
  /** Additional settings of Herald. */
  readonly environment?: NodeJS.ProcessEnv
  readonly groupId: string
}

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Starts processes of Herald's built ingest, one by default, of this checkout or of another. */
export async function startIngest(options: DrainOptions, checkout?: string, processes = 1): Promise<Contestant> {
  const { database, topic } = options
  const own = serviceSettings({
    ...options,
    database: database.databaseName,
    kafkaBrokers: options.brokers,
    tokens: await createTokenIssuer(),
  })
  const settings = { ...own, ...options.environment }
  await migrate(settings, checkout)
  const services = await Promise.all(Array.from({ length: processes }, () => startBuilt('ingest', settings, checkout)))
  const collection = database.collection(topic === 'change' ? 'change-entries' : 'notifications')
  return {
    pids: services.map(({ pid }) => pid),
    collection,
    async stop() {
      await Promise.all(services.map((service) => service.stop()))
    },
  }
}

type CeilingOptions = {
  /** Herald's indexes, or none but `_id`. */
  readonly indexes: boolean
  /** As much memory as Herald: its options of Node.js, and fetches that fit. */
  readonly sameMemory?: boolean
}

const mebi = 2 ** 20

/** Starts the ceiling; see `ceilings/ingest.ts`. */
export const startIngestCeiling =
  ({ indexes, sameMemory = false }: CeilingOptions) =>
  async (options: DrainOptions): Promise<Contestant> => {
    const { database, topic } = options
    const collection = indexes ? await indexedCollections[topic](database) : await database.createCollection('events')
    const environment = {
      ...process.env,
      MONGODB_URI: options.mongodbUri,
      MONGODB_DATABASE: database.databaseName,
      COLLECTION: collection.collectionName,
      KAFKA_BROKERS: options.brokers.join(','),
      KAFKA_GROUP_ID: options.groupId,
      TOPIC: options.topics[topic],
      BYTES_PER_PARTITION: String((sameMemory ? 1 : 4) * mebi),
      ...(topic === 'mention' && { PER_RECIPIENT: 'true' }),
    }
    const ownArguments = sameMemory ? nodeArguments.ingest : []
    const program = await startProgram({
      name: 'the ceiling of ingest',
      command: process.execPath,
      args: [...ownArguments, '--disable-warning=TimeoutNegativeWarning', fileOf('../ceilings/ingest.ts')],
      environment,
      ready: { line: /running/ },
      stopSignal: 'SIGTERM',
    })
    return { pids: [program.pid], collection, stop: program.stop }
  }

const clustered = { clusteredIndex: { key: { _id: 1 }, unique: true } } as const
const notificationLayout = layouts.find(({ name }) => name === 'A8ib')

/** Collections with as many indexes on the same values as those of Herald. */
const indexedCollections = {
  async change(database: Db): Promise<Collection<Document>> {
    const collection = await database.createCollection('events', clustered)
    await collection.createIndexes([{ key: { 'data.entityId': 1, _id: 1 } }, { key: { 'data.user.id': 1, _id: 1 } }])
    return collection
  },
  async mention(database: Db): Promise<Collection<Document>> {
    const collection = await database.createCollection('events', notificationLayout?.options)
    await collection.createIndexes(notificationLayout?.indexes ?? [])
    return collection
  },
}
