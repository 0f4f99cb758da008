import { randomUUID } from 'node:crypto'
import { databaseOfRun, databaseOfWorker, emptyDatabase, migrateOnce } from '@herald/test-servers'
import { type Db, type Document, MongoClient } from 'mongodb'

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

/** Creates the collections that the tests of a room need. */
type Migrate = (database: Db) => Promise<void>

export type TestDatabase = ReturnType<typeof openDatabase>

/** An operation as the server's profiler describes it. */
type ProfiledLine = Document & { readonly command: Document }

const uri = () => process.env.MONGODB_URI ?? ''

function openDatabase({ name, profiler }: Place) {
  const applicationName = profiler?.applicationName ?? 'test'
  const client = new MongoClient(uri(), { appName: applicationName })
  const database = client.db(name)

  /** Returns the profiler's lines of each operation that `work` runs on the collection. */
  async function profile(collection: string, work: () => Promise<unknown>): Promise<ProfiledLine[]> {
    if (profiler === undefined) throw new Error('This database is not profiled')
    await profiler.set(database, 2)
    const comment = randomUUID()
    await database.collection('profiled').find({}, { comment }).toArray()
    await work().finally(() => profiler.set(database, 0))
    const lines = await database.collection<ProfiledLine>('system.profile').find({ appName: applicationName }).toArray()
    if (lines.length === 0) throw new Error('The profiler has no line of this application')
    // The profiler keeps a limited number of lines: without the first one, all are later.
    const begin = lines.findIndex(({ command }) => command.comment === comment)
    return lines.slice(begin + 1).filter(({ ns }) => ns === `${name}.${collection}`)
  }

  return {
    uri: uri(),
    name,
    applicationName,
    database,
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
    close: (): Promise<void> => client.close(),
  }
}

const profiledName = 'test-profiled'
const profiledBytes = 8 * 1_024 * 1_024

/**
 * The database that all files of the run share, on the replica set from the setup of Jest, and a subscriber for a test file. Only
 * a `profiled` one has `examined` and `profile`: the lines of all would push each other out.
 */
export function createTestDatabase(migrate: Migrate = async () => {}, { profiled = false } = {}) {
  const profiler = { applicationName: `${profiledName}-${randomUUID()}`, set: async () => {} }
  const opened = openDatabase({ name: databaseOfRun(), ...(profiled && { profiler }) })
  const { uri, name, database } = opened
  const migrateAll = async () => {
    await migrate(database)
    await database.createCollection('system.profile', { capped: true, size: profiledBytes })
    const filter = { appName: { $regex: `^${profiledName}` } }
    await database.command({ profile: 1, slowms: 0, filter })
  }
  return { ...opened, subscriberId: randomUUID() as string, migrate: () => migrateOnce(uri, name, migrateAll) }
}

const toggled = {
  applicationName: 'test',
  set: (database: Db, level: number) => database.command({ profile: level }),
}

/** An empty database, which no other file uses meanwhile. */
export function createEmptyDatabase(migrate: Migrate) {
  const opened = openDatabase({ name: databaseOfWorker(), profiler: toggled })
  const { uri, name, database } = opened
  return {
    ...opened,
    async migrate(): Promise<void> {
      await migrateOnce(uri, name, async () => {
        await migrate(database)
        await database.createCollection('system.profile', { capped: true, size: profiledBytes })
      })
      await emptyDatabase(uri, name)
    },
  }
}

/** A database that does not exist yet. */
export function createNewDatabase(file: string) {
  const opened = openDatabase({ name: `herald-test-${file}-${process.pid}` })
  return {
    ...opened,
    async drop(): Promise<void> {
      await opened.database.dropDatabase()
      await opened.close()
    },
  }
}
