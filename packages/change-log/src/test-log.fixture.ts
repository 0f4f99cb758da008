import { createServerClock, createStorageClient, migrate, noReadBudgets } from '@herald/mongo'
import { createEmptyDatabase, createTestDatabase, onDatabase, type TestDatabase } from '@herald/mongo/testing'
import { createPersons, type PersonsCollections, personsCollectionsOf, planPersons } from '@herald/persons'
import type { Db } from 'mongodb'
import { createEraseEntries } from './change-entries/erase-entries.ts'
import { createChangeLogs } from './change-logs.ts'
import { planChangeLogs } from './collection-plans.ts'
import { type ChangeLogCollections, changeLogCollectionsOf } from './documents/collections.ts'

export const collectionsOf = (database: Db) => ({
  ...changeLogCollectionsOf(database),
  ...personsCollectionsOf(database),
})

const nothing = async () => ({ erased: 0 })
/** Feeds are not stored here. */
const feedSteps = {
  ...{ feed: nothing, mutes: nothing, receipts: nothing, requests: nothing },
  ...{ 'fan-outs': nothing, tombstones: nothing, digests: nothing },
}

/** Erases persons from change entries. */
export function createWriters(collections: ChangeLogCollections & PersonsCollections) {
  const { erasedPersons, createErasures } = createPersons(collections)
  const steps = { ...feedSteps, ...createEraseEntries(collections.changeEntries) }
  return { erasedPersons, erasures: createErasures(steps) }
}

type Place = { readonly uri: string; readonly database: string; readonly applicationName: string }

/** The change logs as one process has them. */
export function openLog({ uri, database: name, applicationName }: Place) {
  const { client, close } = createStorageClient(uri, { applicationName })
  const watching = createStorageClient(uri, { applicationName, socketTimeoutMS: 45_000 })
  const now = createServerClock(client)
  const collections = collectionsOf(client.db(name))
  const { erasedPersons, erasures } = createWriters(collections)
  const others = { watching: watching.client.db(name), budgets: noReadBudgets, retentionDays: undefined }
  return {
    ...createChangeLogs({ ...collections, ...others, erasedPersons, now, behindMs: () => 0 }),
    erasures,
    now,
    async close(): Promise<void> {
      await Promise.all([close(), watching.close()])
    },
  }
}

const withLog = <Opened extends TestDatabase>(opened: Opened) => onDatabase(opened, openLog, collectionsOf)

const migrateAll = (database: Db) => migrate(database, [...planChangeLogs(undefined), ...planPersons(undefined)])

/** The change logs of a test file with a subscriber of its own, in the database that all files of the run share. */
export const createTestLog = (options = { profiled: false }) => withLog(createTestDatabase(migrateAll, options))

/** Change logs in an empty database, which no other file uses meanwhile, for a file in the list of `own-databases.test.ts`. */
export const createEmptyLog = () => withLog(createEmptyDatabase(migrateAll))
