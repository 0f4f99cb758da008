import { isDeepStrictEqual } from 'node:util'
import type { CreateCollectionOptions, Db } from 'mongodb'
import { MongoServerError } from 'mongodb'
import { type IndexPlan, planCollections, retentionIndex } from '../collections.ts'
import { noteIfNothingToMigrate } from './fan-outs-of-older.ts'
import { findDifferences } from './find-missing.ts'
import { rebuildUnclustered } from './rebuild-unclustered.ts'

const namespaceExists = 48
const indexOptionsConflict = 85
const indexNotFound = 27
const attempts = 3

const isServerError = (error: unknown, code: number) => error instanceof MongoServerError && error.code === code

/**
 * Creates a collection, without the settings of its storage engine where the server refuses them, as a managed service may:
 * they make it faster, but are not needed.
 */
export async function createIfMissing(database: Db, name: string, options: CreateCollectionOptions): Promise<void> {
  const { storageEngine, ...others } = options
  try {
    await database.createCollection(name, options)
  } catch (error) {
    if (isServerError(error, namespaceExists)) return
    if (!(storageEngine && error instanceof MongoServerError)) throw error
    await createIfMissing(database, name, others)
  }
}

/**
 * Creates the index, without the settings of its storage engine where the server refuses them. If one of that name has another
 * expiry, its expiry is changed in place. One with other settings of the storage engine is kept.
 */
export async function createIndex(database: Db, collection: string, index: IndexPlan): Promise<void> {
  const { key, ...options } = index
  const indexes = database.collection(collection)
  try {
    await indexes.createIndex(key as never, options)
  } catch (error) {
    if (!isServerError(error, indexOptionsConflict)) {
      const { storageEngine, ...others } = index
      if (!(storageEngine && error instanceof MongoServerError)) throw error
      return createIndex(database, collection, others)
    }
    const { name, expireAfterSeconds } = index
    if (expireAfterSeconds !== undefined) {
      await database.command({ collMod: collection, index: { name, expireAfterSeconds } })
      return
    }
    const present = (await indexes.listIndexes().toArray()).find((candidate) => candidate.name === name)
    const isSame = isDeepStrictEqual(
      [present?.key, present?.partialFilterExpression],
      [key, index.partialFilterExpression],
    )
    if (!isSame) throw error
  }
}

async function dropIndex(database: Db, collection: string, name: string): Promise<void> {
  try {
    await database.collection(collection).dropIndex(name)
  } catch (error) {
    if (!isServerError(error, indexNotFound)) throw error
  }
}

/**
 * Creates missing collections and indexes, and sets or removes the retention. Recreates an empty collection that is not
 * clustered, as created by a write before the first migration. Safe to run repeatedly and concurrently.
 *
 * @throws if a collection that is not clustered contains documents
 */
export async function migrate(database: Db, retentionDays: number | undefined): Promise<void> {
  let differences: readonly string[] = []
  // A concurrent migration may recreate a collection, and drop its indexes.
  for (let attempt = 0; attempt < attempts; attempt++) {
    await makeAll(database, retentionDays)
    const { missing, retention } = await findDifferences(database, retentionDays)
    differences = [...missing, ...retention]
    if (differences.length === 0) return noteIfNothingToMigrate(database)
  }
  throw new Error(`The database differs from its definition: ${differences.join('; ')}`)
}

async function makeAll(database: Db, retentionDays: number | undefined): Promise<void> {
  for (const { name, options, indexes } of planCollections(retentionDays)) {
    await createIfMissing(database, name, options)
    if (options.clusteredIndex) await rebuildUnclustered(database, name, options)
    for (const index of indexes) await createIndex(database, name, index)
    if (!indexes.some((index) => index.name === retentionIndex)) await dropIndex(database, name, retentionIndex)
  }
}
