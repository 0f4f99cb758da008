import { makeUuidV7, timeOfUuidV7 } from '@herald/contracts'
import fc from 'fast-check'
import { BSON, MongoClient } from 'mongodb'
import { collectionsOf } from './documents/collections.ts'
import type { NewNotification } from './documents/notification-document.ts'
import { createStore } from './store.ts'

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
export type Examined = {
  readonly plan: string
  readonly keys: number
  readonly documents: number
  readonly sorted: boolean
}

/** Creates a store with its own database for a test file, on the replica set from the setup of Jest. */
export function createTestStore(file: string) {
  const uri = process.env.MONGODB_URI ?? ''
  const name = `herald-test-${file}-${process.pid}`
  const store = createStore({ uri, database: name, applicationName: 'test' })
  const client = new MongoClient(uri)
  const database = client.db(name)
  return {
    uri,
    name,
    store,
    database,
    collections: collectionsOf(database),
    /** Returns the figures of each operation that `work` runs on the collection. */
    async examined(collection: string, work: () => Promise<unknown>): Promise<Examined[]> {
      await database.command({ profile: 2 })
      const since = new Date()
      await work().finally(() => database.command({ profile: 0 }))
      const where = { ns: `${name}.${collection}`, ts: { $gte: since } }
      const lines = await database.collection('system.profile').find(where).toArray()
      return lines.map((line) => ({
        plan: String(line.planSummary),
        keys: Number(line.keysExamined ?? 0),
        documents: Number(line.docsExamined ?? 0),
        sorted: line.hasSortStage === true,
      }))
    },
    async drop(): Promise<void> {
      await database.dropDatabase()
      await client.close()
      await store.close()
    },
  }
}
