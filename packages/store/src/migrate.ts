import type { CreateCollectionOptions, Db, IndexDescription } from 'mongodb'
import { MongoServerError } from 'mongodb'
import { collectionPlans } from './collections.ts'

const namespaceExists = 48

async function createIfMissing(database: Db, name: string, options: CreateCollectionOptions): Promise<void> {
  try {
    await database.createCollection(name, options)
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === namespaceExists)) throw error
  }
}

/** Makes every collection and index that is missing. Safe to run again, and by several at once. */
export async function migrate(database: Db): Promise<void> {
  for (const { name, options, indexes } of collectionPlans) {
    await createIfMissing(database, name, options)
    const wanted: readonly IndexDescription[] = indexes
    if (wanted.length > 0) await database.collection(name).createIndexes([...wanted])
  }
  const missing = await findMissing(database)
  if (missing.length > 0) throw new Error(`The database is not as it must be: ${missing.join('; ')}`)
}

/** What of the collections and indexes is missing or of another kind, in words; empty when all is there. */
export async function findMissing(database: Db): Promise<string[]> {
  const found = await database.listCollections({}, { maxTimeMS: 5_000 }).toArray()
  const missing = await Promise.all(
    collectionPlans.map(async ({ name, indexes }) => {
      const collection = found.find((candidate) => candidate.name === name)
      if (!collection) return [`collection ${name} is missing`]
      const isClustered = 'options' in collection && collection.options?.clusteredIndex !== undefined
      if (!isClustered) return [`collection ${name} is not clustered`]
      const present = await database.collection(name).listIndexes({ maxTimeMS: 5_000 }).toArray()
      return indexes
        .filter((index) => !present.some((candidate) => candidate.name === index.name))
        .map((index) => `index ${index.name} of ${name} is missing`)
    }),
  )
  return missing.flat()
}
