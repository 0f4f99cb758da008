import { randomUUID } from 'node:crypto'
import { databaseOfRun, databaseOfWorker, emptyDatabase, migrateOnce } from '@herald/test-servers'
import { type Db, type Document, MongoClient } from 'mongodb'
import { collectionsOf } from './documents/collections.ts'
import { createStore } from './store.ts'

/** Figures of a query from the profiler of the server. */
type Examined = {
  readonly plan: string
  readonly keys: number
  readonly documents: number
  readonly sorted: boolean
}

type Place = {
  readonly name: string
  readonly profiler?: {
    readonly applicationName: string
    readonly set: (database: Db, level: 0 | 2) => Promise<unknown>
  }
}

/** An operation as the server's profiler describes it. */
type ProfiledLine = Document & { readonly command: Document }

const uri = () => process.env.MONGODB_URI ?? ''

function openStore({ name, profiler }: Place) {
  const applicationName = profiler?.applicationName ?? 'test'
  const store = createStore({ uri: uri(), database: name, applicationName })
  const client = new MongoClient(uri(), { appName: applicationName })
  const database = client.db(name)

  /** Returns the profiler's lines of each operation that `work` runs on the collection. */
  async function profile(collection: string, work: () => Promise<unknown>): Promise<ProfiledLine[]> {
    if (profiler === undefined) throw new Error('This store is not profiled')
    await profiler.set(database, 2)
    const comment = randomUUID()
    await database.collection('profiled').find({}, { comment }).toArray()
    await work().finally(() => profiler.set(database, 0))
    const lines = await database.collection<ProfiledLine>('system.profile').find({ appName: applicationName }).toArray()
    if (lines.length === 0) throw new Error('The profiler has no line of this store')
    // The profiler keeps a limited number of lines: without the first one, all are later.
    const begin = lines.findIndex(({ command }) => command.comment === comment)
    return lines.slice(begin + 1).filter(({ ns }) => ns === `${name}.${collection}`)
  }

  return {
    uri: uri(),
    name,
    store,
    database,
    collections: collectionsOf(database),
    profile,
    /** Returns the figures of each operation that `work` runs on the collection. */
    async examined(collection: string, work: () => Promise<unknown>): Promise<Examined[]> {
      return (await profile(collection, work)).map((line) => ({
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
const profiledBytes = 8 * 1_024 * 1_024

/**
 * The store of a test file with a subscriber of its own, in the database that all files of the run share, on the replica set from
 * the setup of Jest. Only a `profiled` one has `examined` and `profile`: the lines of all would push each other out.
 */
export function createTestStore({ profiled = false } = {}) {
  const profiler = { applicationName: `${profiledName}-${randomUUID()}`, set: async () => {} }
  const opened = openStore({ name: databaseOfRun(), ...(profiled && { profiler }) })
  const migrate = async () => {
    await opened.store.migrate()
    await opened.database.createCollection('system.profile', { capped: true, size: profiledBytes })
    const filter = { appName: { $regex: `^${profiledName}` } }
    await opened.database.command({ profile: 1, slowms: 0, filter })
  }
  return {
    ...opened,
    subscriberId: randomUUID() as string,
    migrate: () => migrateOnce(opened.uri, opened.name, migrate),
  }
}

const toggled = {
  applicationName: 'test',
  set: (database: Db, level: number) => database.command({ profile: level }),
}

/** A store whose database is empty, and which no other file uses meanwhile, for a file in the list of `own-databases.test.ts`. */
export function createEmptyStore() {
  const opened = openStore({ name: databaseOfWorker(), profiler: toggled })
  return {
    ...opened,
    async migrate(): Promise<void> {
      await migrateOnce(opened.uri, opened.name, async () => {
        await opened.store.migrate()
        await opened.database.createCollection('system.profile', { capped: true, size: profiledBytes })
      })
      await emptyDatabase(opened.uri, opened.name)
    },
  }
}

/** A store whose database does not exist yet, for a file in the list of `own-databases.test.ts`. */
export function createNewStore(file: string) {
  const opened = openStore({ name: `herald-test-${file}-${process.pid}` })
  return {
    ...opened,
    async drop(): Promise<void> {
      await opened.database.dropDatabase()
      await opened.close()
    },
  }
}
