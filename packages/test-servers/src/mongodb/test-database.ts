import { MongoClient } from 'mongodb'
import { databaseOfRun, databaseOfWorker, emptyDatabase, migrateOnce } from './database-of-run.ts'

/** The database of a test file: its name, how it is made ready, and how it is left. */
export type TestDatabase = {
  readonly name: string
  readonly migrate: (uri: string, migrate: () => Promise<unknown>) => Promise<unknown>
  readonly leave: (uri: string) => Promise<void>
}

/** The one that all files of a run share, each with subscribers of its own. */
export function sharedDatabase(): TestDatabase {
  const name = databaseOfRun()
  return { name, migrate: (uri, migrate) => migrateOnce(uri, name, migrate), leave: async () => {} }
}

/** One that is empty once it is migrated, and that no other file uses meanwhile. */
export function emptiedDatabase(): TestDatabase {
  const name = databaseOfWorker()
  return {
    name,
    async migrate(uri, migrate) {
      await migrateOnce(uri, name, migrate)
      await emptyDatabase(uri, name)
    },
    leave: async () => {},
  }
}

/** One that does not exist until it is migrated. */
export function newDatabase(name: string): TestDatabase {
  return {
    name,
    migrate: (_, migrate) => migrate(),
    async leave(uri) {
      const client = new MongoClient(uri)
      await client.db(name).dropDatabase()
      await client.close()
    },
  }
}
