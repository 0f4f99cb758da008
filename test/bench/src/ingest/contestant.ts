import { execFile } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createTokenIssuer, type HeraldTopics, startProgram, startService } from '@herald/local-stack'
import type { Collection, Db, Document } from 'mongodb'
import { serviceSettings } from '../settings.ts'

/** A program that drains a topic into a collection. */
export type Contestant = { readonly pid: number; readonly collection: Collection<Document>; stop(): Promise<void> }

export type Course = {
  readonly brokers: readonly string[]
  readonly mongodbUri: string
  /** Empty. */
  readonly database: Db
  readonly topics: HeraldTopics
  readonly topic: 'mention' | 'change'
  readonly groupId: string
}

const run = promisify(execFile)
const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Herald's ingest, as it is built. */
export async function startIngest(course: Course): Promise<Contestant> {
  const { database, topic } = course
  const settings = serviceSettings({
    ...course,
    database: database.databaseName,
    kafkaBrokers: course.brokers,
    tokens: await createTokenIssuer(),
  })
  await run(process.execPath, [fileOf('../../../../services/ingest/dist/migrate.js')], { env: settings })
  const service = await startService('ingest', settings)
  const collection = database.collection(topic === 'change' ? 'change-entries' : 'notifications')
  return { pid: service.pid, collection, stop: service.stop }
}

/** What the drivers alone allow: see `ceilings/ingest.ts`. */
export async function startIngestCeiling(course: Course): Promise<Contestant> {
  const collection = await createPlainCollection(course.database)
  const environment = {
    ...process.env,
    MONGODB_URI: course.mongodbUri,
    MONGODB_DATABASE: course.database.databaseName,
    COLLECTION: collection.collectionName,
    KAFKA_BROKERS: course.brokers.join(','),
    KAFKA_GROUP_ID: course.groupId,
    TOPIC: course.topics[course.topic],
  }
  const program = await startProgram({
    name: 'the ceiling of ingest',
    command: process.execPath,
    args: ['--disable-warning=TimeoutNegativeWarning', fileOf('../ceilings/ingest.ts')],
    environment,
    ready: { line: /running/ },
  })
  return { pid: program.pid, collection, stop: program.stop }
}

/** A collection for events as they are, with as many indexes as Herald's change log has, on the same values. */
export async function createPlainCollection(database: Db): Promise<Collection<Document>> {
  const collection = await database.createCollection('events', { clusteredIndex: { key: { _id: 1 }, unique: true } })
  await collection.createIndexes([{ key: { 'data.entityId': 1, _id: 1 } }, { key: { 'data.user.id': 1, _id: 1 } }])
  return collection
}
