import { randomUUID } from 'node:crypto'
import { MongoClient, MongoServerError } from 'mongodb'
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

/** Migrates the database of the run, once: the first caller of all processes does, and the others wait for it. */
export async function migrateOnce(uri: string, migrate: () => Promise<unknown>): Promise<void> {
  const client = new MongoClient(uri)
  const migrations = client.db(databaseOfRun()).collection<Migration>('test-run')
  const finish = (outcome: string) => migrations.updateOne({ _id: 'migration' }, { $set: { outcome } })
  try {
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
    const outcome = await eventually(find, { description: 'the database of the run is migrated' })
    if (outcome !== 'done') throw new Error(`The database of the run could not be migrated: ${outcome}`)
  } finally {
    await client.close()
  }
}

/** Drops the database of the run, for a server that outlives it. */
export async function dropDatabaseOfRun(uri: string): Promise<void> {
  const client = new MongoClient(uri)
  await client.db(databaseOfRun()).dropDatabase()
  await client.close()
}
