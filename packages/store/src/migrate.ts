import type { CreateCollectionOptions, Db } from 'mongodb'
import { MongoServerError } from 'mongodb'
import { type IndexPlan, planCollections, retentionIndex } from './collections.ts'

const namespaceExists = 48
const indexOptionsConflict = 85
const indexNotFound = 27

const isServerError = (error: unknown, code: number) => error instanceof MongoServerError && error.code === code

async function createIfMissing(database: Db, name: string, options: CreateCollectionOptions): Promise<void> {
  try {
    await database.createCollection(name, options)
  } catch (error) {
    if (!isServerError(error, namespaceExists)) throw error
  }
}

/** Makes the index; one of that name that expires after another time is changed in place. */
async function createIndex(database: Db, collection: string, index: IndexPlan): Promise<void> {
  const { key, ...options } = index
  try {
    await database.collection(collection).createIndex(key as never, options)
  } catch (error) {
    if (!isServerError(error, indexOptionsConflict) || index.expireAfterSeconds === undefined) throw error
    const { name, expireAfterSeconds } = index
    await database.command({ collMod: collection, index: { name, expireAfterSeconds } })
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
 * Makes every collection and index that is missing, and has documents expire after `retentionDays` or, without, never.
 * Safe to run again, and by several at once.
 */
export async function migrate(database: Db, retentionDays: number | undefined): Promise<void> {
  for (const { name, options, indexes } of planCollections(retentionDays)) {
    await createIfMissing(database, name, options)
    for (const index of indexes) await createIndex(database, name, index)
    if (!indexes.some((index) => index.name === retentionIndex)) await dropIndex(database, name, retentionIndex)
  }
  const missing = await findMissing(database, retentionDays)
  if (missing.length > 0) throw new Error(`The database is not as it must be: ${missing.join('; ')}`)
}

/** What of the collections and indexes is missing or of another kind, in words; empty when all is there. */
export async function findMissing(database: Db, retentionDays: number | undefined): Promise<string[]> {
  const found = await database.listCollections({}, { maxTimeMS: 5_000 }).toArray()
  const missing = await Promise.all(
    planCollections(retentionDays).map(async ({ name, options, indexes }) => {
      const collection = found.find((candidate) => candidate.name === name)
      if (!collection) return [`collection ${name} is missing`]
      const isClustered = 'options' in collection && collection.options?.clusteredIndex !== undefined
      if (options.clusteredIndex && !isClustered) return [`collection ${name} is not clustered`]
      const present = await database.collection(name).listIndexes({ maxTimeMS: 5_000 }).toArray()
      return indexes
        .filter((index) => !present.some((candidate) => isSame(index, candidate)))
        .map((index) => `index ${index.name} of ${name} is missing or another one`)
    }),
  )
  return missing.flat()
}

function isSame(index: IndexPlan, candidate: { name?: string; expireAfterSeconds?: number }): boolean {
  return candidate.name === index.name && candidate.expireAfterSeconds === index.expireAfterSeconds
}
