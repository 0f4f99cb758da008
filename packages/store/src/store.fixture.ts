import { randomUUID } from 'node:crypto'
import { makeUuidV7, timeOfUuidV7 } from '@herald/contracts'
import { databaseOfRun, migrateOnce } from '@herald/test-servers'
import fc from 'fast-check'
import { BSON, type Db, MongoClient } from 'mongodb'
import { collectionsOf } from './documents/collections.ts'
import type { NewNotification } from './documents/notification-document.ts'
import { createStore, type Store } from './store.ts'

export const uuid = (n: number) => `0190a6e0-7c1b-4def-8abc-${n.toString(16).padStart(12, '0')}`
export const subscriberId = uuid(1)
/** The earliest time of stored test data. It is ahead, so that MongoDB deletes nothing that expires during a test. */
export const start = Date.parse('2126-01-01T00:00:00Z')
export const at = (seconds: number) => new Date(start + seconds * 1_000)

/** The id of this many milliseconds after {@link start}; `n` distinguishes those of one millisecond. */
export function idAt(ms: number, n = 0): string {
  const tail = Buffer.alloc(10)
  tail.writeUInt32BE(n, 4)
  return makeUuidV7(start + ms, tail)
}

/** A notification whose time is that of its id. */
export function newNotification(id: string, changes: Partial<NewNotification> = {}): NewNotification {
  return {
    id,
    subscriberId,
    type: 'mention',
    actor: { id: uuid(90), name: 'Ada', image: '' },
    actorType: 'user',
    subjectId: uuid(91),
    subjectType: 'user',
    locationId: uuid(92),
    locationType: 'comment',
    metadata: '{"mention":{},"add":{"$set":1,"a.b":2},"edit":{}}',
    createdAt: new Date(timeOfUuidV7(id) ?? start),
    recipientIds: [uuid(2)],
    ...changes,
  }
}

/** A document as the bytes that MongoDB sends. */
export const bytesOf = (document: object) => Buffer.from(BSON.serialize(document, { ignoreUndefined: true }))

/** Text that survives UTF-8: without lone surrogates. */
export const anyText = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary-ascii' }))
export const anyTime = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })

type Json = Readonly<Record<string, string | null>>
const timeIn = (text: string | null | undefined) => (text ? new Date(text) : null)
const withTimes = ({ readAt, emailSentAt, ...json }: Json) => ({
  ...json,
  id: json.id as string,
  readAt: timeIn(readAt),
  emailSentAt: timeIn(emailSentAt),
})

/** The notification in the body of a response, if there is one. */
export const notificationIn = (body: Buffer | null) => (body === null ? null : withTimes(JSON.parse(String(body)).data))

/** The page in the body of a response. */
export function pageIn(body: Buffer) {
  const { notifications, nextCursor } = JSON.parse(String(body)).data
  return { notifications: (notifications as Json[]).map(withTimes), next: nextCursor as string | null }
}

/** Figures of a query from the profiler of the server. */
type Examined = {
  readonly plan: string
  readonly keys: number
  readonly documents: number
  readonly sorted: boolean
}

type TestStore = {
  readonly database: string
  /** Appears in the profiler's lines of the operations of this store. */
  readonly applicationName: string
  readonly profile: (database: Db, level: 0 | 2) => Promise<unknown>
}

function openTestStore({ database: name, applicationName, profile }: TestStore) {
  const uri = process.env.MONGODB_URI ?? ''
  const store = createStore({ uri, database: name, applicationName })
  const client = new MongoClient(uri, { appName: applicationName })
  const database = client.db(name)
  const profiled = database.collection('system.profile')
  return {
    uri,
    name,
    store,
    database,
    collections: collectionsOf(database),
    /** Returns the figures of each operation that `work` runs on the collection. */
    async examined(collection: string, work: () => Promise<unknown>): Promise<Examined[]> {
      await profile(database, 2)
      const comment = randomUUID()
      await database.collection('profiled').find({}, { comment }).toArray()
      await work().finally(() => profile(database, 0))
      const lines = await profiled.find({ appName: applicationName }).sort({ $natural: 1 }).toArray()
      const begin = lines.findIndex(({ command }) => command?.comment === comment)
      if (begin === -1) throw new Error('The profiler has no line of this store')
      const found = lines.slice(begin).filter(({ ns }) => ns === `${name}.${collection}`)
      return found.map((line) => ({
        plan: String(line.planSummary),
        keys: Number(line.keysExamined ?? 0),
        documents: Number(line.docsExamined ?? 0),
        sorted: line.hasSortStage === true,
      }))
    },
    async close(): Promise<void> {
      await client.close()
      await store.close()
    },
  }
}

const profiledName = 'test-profiled'

/** Profiles the clients of this name only: those of other files would push their lines out. */
async function migrateAndProfile(store: Store, database: Db): Promise<void> {
  await store.migrate()
  await database.createCollection('system.profile', { capped: true, size: 8 * 1_024 * 1_024 })
  await database.command({ profile: 1, slowms: 0, filter: { appName: { $regex: `^${profiledName}` } } })
}

/**
 * The store of a test file with a subscriber of its own, in the database that all files of the run share, on the replica set from
 * the setup of Jest. `examined` is for a file that is `profiled`.
 */
export function createTestStore({ profiled = false } = {}) {
  const applicationName = profiled ? `${profiledName}-${randomUUID()}` : 'test'
  const opened = openTestStore({ database: databaseOfRun(), applicationName, profile: async () => {} })
  const { uri, store, database } = opened
  return {
    ...opened,
    subscriberId: randomUUID() as string,
    migrate: () => migrateOnce(uri, () => migrateAndProfile(store, database)),
  }
}

/** A store with a database of its own. */
export function createOwnStore(file: string) {
  const opened = openTestStore({
    database: `herald-test-${file}-${process.pid}`,
    applicationName: 'test',
    profile: (database, level) => database.command({ profile: level }),
  })
  return {
    ...opened,
    async drop(): Promise<void> {
      await opened.database.dropDatabase()
      await opened.close()
    },
  }
}
