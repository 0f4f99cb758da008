import { createStorageClient, migrate, noReadBudgets } from '@herald/mongo'
import { createEmptyDatabase, createTestDatabase, onDatabase, type TestDatabase } from '@herald/mongo/testing'
import { createPersons, type PersonsCollections, personsCollectionsOf, planPersons } from '@herald/persons'
import type { Db } from 'mongodb'
import { planFeed } from './collection-plans.ts'
import { type FeedCollections, feedCollectionsOf } from './documents/collections.ts'
import type { FeedOwner } from './documents/notification-document.ts'
import { createFeeds } from './feed.ts'
import { createFeedChanges } from './feed-changes/feed-changes.ts'
import { createFeedWriters, type FeedOptions } from './feed-writers.ts'
import { createMutes } from './mutes/mutes.ts'

const collectionsOf = (database: Db) => ({ ...feedCollectionsOf(database), ...personsCollectionsOf(database) })
const noEntries = { changes: async () => ({ erased: 0 }) }

/** Writes feeds, and erases persons from them; change entries are not stored here. */
export function createWriters(collections: FeedCollections & PersonsCollections, options: FeedOptions = {}) {
  const { erasedPersons, createErasures } = createPersons(collections)
  const { eraseSteps, ...writers } = createFeedWriters(collections, erasedPersons, options)
  return { ...writers, erasures: createErasures({ ...eraseSteps, ...noEntries }), erasedPersons }
}

type Place = FeedOptions & { readonly uri: string; readonly database: string; readonly applicationName: string }

/** The feed as one process has it. */
export function openFeed({ uri, database: name, applicationName, ...options }: Place) {
  const { client, close } = createStorageClient(uri, { applicationName })
  const watching = createStorageClient(uri, { applicationName, socketTimeoutMS: 45_000 })
  const collections = collectionsOf(client.db(name))
  const { insertNew, ...writers } = createWriters(collections, options)
  const feedOf = createFeeds({ client, ...collections, budgets: noReadBudgets })
  return {
    ...writers,
    notifications: { insertNew, of: (owner: FeedOwner) => feedOf(owner) },
    mutes: { of: createMutes(collections) },
    feedChanges: createFeedChanges(watching.client.db(name)),
    async close(): Promise<void> {
      await Promise.all([close(), watching.close()])
    },
  }
}

const withFeed = <Opened extends TestDatabase>(opened: Opened) => onDatabase(opened, openFeed, collectionsOf)

const migrateAll = (database: Db) => migrate(database, [...planFeed(undefined), ...planPersons(undefined)])

/** The feed of a test file with a subscriber of its own, in the database that all files of the run share. */
export const createTestFeed = (options = { profiled: false }) => withFeed(createTestDatabase(migrateAll, options))

/** A feed whose database is empty, and which no other file uses meanwhile, for a file in the list of `own-databases.test.ts`. */
export const createEmptyFeed = () => withFeed(createEmptyDatabase(migrateAll))
