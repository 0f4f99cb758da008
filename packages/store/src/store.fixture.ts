import { timeOfUuidV7 } from '@herald/contracts'
import { MongoClient } from 'mongodb'
import type { NewNotification } from './notifications/notification-document.ts'
import { createStore } from './store.ts'

export const uuid = (n: number) => `0190a6e0-7c1b-4def-8abc-${n.toString(16).padStart(12, '0')}`
export const subscriberId = uuid(1)
/** The earliest time of stored test data. */
export const start = Date.parse('2026-01-01T00:00:00Z')
export const at = (seconds: number) => new Date(start + seconds * 1_000)

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
    ...{ uri, name, store, database },
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
