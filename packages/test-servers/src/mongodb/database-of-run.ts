import { randomUUID } from 'node:crypto'
import { type Db, MongoClient, MongoServerError } from 'mongodb'
import { eventually } from '../processes/polling.ts'

const variable = 'HERALD_TEST_DATABASE'
const duplicateKey = 11_000

/** The state of the migration, which the processes of a run share in the database itself. */
type Migration = { readonly _id: 'migration'; readonly outcome?: string }

/** Names the database of a new test run for the processes that this one starts. */
export function nameDatabaseOfRun(): void {
  process.env[variable] = `herald-test-run-${randomUUID()}`
}

/**
 * The database that all test files of a run share. Each file has subscribers of its own, so that it also tests that they
 * are isolated.
 */
export function databaseOfRun(): string {
  const name = process.env[variable]
  if (name === undefined) throw new Error(`${variable} is not set: the setup of Jest is missing`)
  return name
}

/**
 * The database that the files of one of Jest's processes use one after the other, for those that see everything that is
 * stored. Each file empties it.
 */
export function databaseOfWorker(): string {
  return `${databaseOfRun()}-${process.env.JEST_WORKER_ID ?? 1}`
}

/** Migrates a database of the run, once: the first caller of all processes does, and the others wait for it. */
export function migrateOnce(uri: string, database: string, migrate: () => Promise<unknown>): Promise<void> {
  return withDatabase(uri, database, async (found) => {
    const migrations = found.collection<Migration>('test-run')
    const finish = (outcome: string) => migrations.updateOne({ _id: 'migration' }, { $set: { outcome } })
    const isFirst = await migrations.insertOne({ _id: 'migration' }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof MongoServerError && error.code === duplicateKey) return false
        throw error
      },
    )
    if (isFirst) {
      await migrate().then(
        () => finish('done'),
        (error: unknown) => finish(String(error)),
      )
    }
    const find = async () => (await migrations.findOne({ _id: 'migration' }))?.outcome
    const outcome = await eventually(find, { description: 'the database of the run is migrated', every: 20 })
    if (outcome !== 'done') throw new Error(`The database of the run could not be migrated: ${outcome}`)
  })
}

/** Deletes all documents of a database of the run. */
export function emptyDatabase(uri: string, database: string): Promise<void> {
  return withDatabase(uri, database, async (found) => {
    const collections = await found.listCollections({}, { nameOnly: true }).toArray()
    const names = collections.map(({ name }) => name).filter((name) => name !== 'test-run' && !/^system\./.test(name))
    await Promise.all(names.map((name) => found.collection(name).deleteMany({})))
  })
}

/** Drops the databases of the run, for a server that outlives it. */
export function dropDatabasesOfRun(uri: string): Promise<void> {
  return withDatabase(uri, databaseOfRun(), async ({ client }) => {
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true })
    for (const { name } of databases) if (name.startsWith(databaseOfRun())) await client.db(name).dropDatabase()
  })
}

async function withDatabase(uri: string, name: string, work: (database: Db) => Promise<void>): Promise<void> {
  const client = new MongoClient(uri)
  try {
    await work(client.db(name))
  } finally {
    await client.close()
  }
}
