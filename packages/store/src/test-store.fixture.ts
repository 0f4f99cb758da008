import { migrate } from '@herald/mongo'
import {
  createEmptyDatabase,
  createNewDatabase,
  createTestDatabase,
  onDatabase,
  type TestDatabase,
} from '@herald/mongo/testing'
import type { Db } from 'mongodb'
import { planCollections } from './collections/collection-plans.ts'
import { collectionsOf } from './collections/collections.ts'
import { createStore } from './store.ts'

const withStore = <Opened extends TestDatabase>(opened: Opened) => onDatabase(opened, createStore, collectionsOf)

const migrateAll = (database: Db) => migrate(database, planCollections(undefined))

/** The store of a test file with a subscriber of its own, in the database that all files of the run share. */
export const createTestStore = (options = { profiled: false }) => withStore(createTestDatabase(migrateAll, options))

/** A store whose database is empty, and which no other file uses meanwhile, for a file in the list of `own-databases.test.ts`. */
export const createEmptyStore = () => withStore(createEmptyDatabase(migrateAll))

/** A store whose database does not exist yet, for a file in the list of `own-databases.test.ts`. */
export function createNewStore(file: string) {
  const opened = withStore(createNewDatabase(file))
  return {
    ...opened,
    async drop(): Promise<void> {
      await opened.database.dropDatabase()
      await opened.close()
    },
  }
}
