import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { CreateCollectionOptions, Db } from 'mongodb'
import { MongoServerError } from 'mongodb'
import { eachAtOnce } from '../reading/each-at-once.ts'
import { insertNew } from '../writing/insert-new.ts'
import { type CollectionPlan, type IndexPlan, retentionIndex } from './collection-plan.ts'
import { findDifferences } from './find-missing.ts'

/** NamespaceNotFound and CollectionUUIDMismatch: a concurrent migration replaces a collection. */
const replacedCodes = [26, 361]
const namespaceExists = 48
const indexOptionsConflict = 85
const indexNotFound = 27
const attempts = 10
const maxPauseMs = 200
/** Each waits for the journal. More would open more connections than they save. */
const collectionsAtOnce = 4

const isServerError = (error: unknown, ...codes: readonly unknown[]) =>
  error instanceof MongoServerError && codes.includes(error.code)

/**
 * Creates a collection, without the settings of its storage engine where the server refuses them, as a managed one may.
 *
 * @returns whether it was missing
 */
export async function createIfMissing(database: Db, name: string, options: CreateCollectionOptions): Promise<boolean> {
  const { storageEngine, ...others } = options
  try {
    await database.createCollection(name, options)
    return true
  } catch (error) {
    if (isServerError(error, namespaceExists)) return false
    if (!(storageEngine && error instanceof MongoServerError)) throw error
    return createIfMissing(database, name, others)
  }
}

/**
 * Replaces an empty collection that must be clustered and is not, because a write before the first migration creates an
 * ordinary one. By renaming: a document that is written meanwhile is moved, not dropped. By its UUID: a process that was frozen
 * must not move the collection that another one has put in its place.
 */
export async function replaceUnclustered(database: Db, name: string, options: CreateCollectionOptions): Promise<void> {
  const [found] = await database.listCollections({ name }, { nameOnly: false }).toArray()
  if (found === undefined || found.options?.clusteredIndex !== undefined) return
  if ((await database.collection(name).findOne({}, { projection: { _id: 1 } })) !== null) {
    throw new Error(
      `The collection ${name} is not clustered and holds documents. Stop its writers, rename it, migrate again and copy its documents back.`,
    )
  }
  const aside = database.collection(`${name}-unclustered-${randomUUID()}`)
  const rename = { renameCollection: `${database.databaseName}.${name}`, to: aside.namespace }
  await database.admin().command({ ...rename, collectionUUID: found.info?.uuid })
  await createIfMissing(database, name, options)
  await insertNew(database.collection(name), await aside.find().toArray())
  await aside.drop()
}

/** Likewise. Of an index of that name, another expiry is changed in place; other settings of the storage engine are kept. */
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
    const { name, expireAfterSeconds, partialFilterExpression } = index
    if (expireAfterSeconds !== undefined) {
      await database.command({ collMod: collection, index: { name, expireAfterSeconds } })
      return
    }
    const present = (await indexes.listIndexes().toArray()).find((candidate) => candidate.name === name)
    const isSame = isDeepStrictEqual([present?.key, present?.partialFilterExpression], [key, partialFilterExpression])
    if (!isSame) throw error
  }
}

/** All with one command, which reads the collection once, or else each by itself. */
async function createIndexes(database: Db, collection: string, indexes: readonly IndexPlan[]): Promise<void> {
  if (indexes.length === 0) return
  try {
    await database.collection(collection).createIndexes([...indexes])
  } catch (error) {
    if (!(error instanceof MongoServerError)) throw error
    for (const index of indexes) await createIndex(database, collection, index)
  }
}

async function dropIndex(database: Db, collection: string, name: string): Promise<void> {
  try {
    await database.collection(collection).dropIndex(name)
  } catch (error) {
    if (!isServerError(error, indexNotFound)) throw error
  }
}

/** Creates missing collections and indexes, and sets or removes the retention. Safe to run repeatedly and concurrently. */
export async function migrate(database: Db, plans: readonly CollectionPlan[]): Promise<void> {
  let differences: readonly string[] = []
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt > 0) await pause(Math.random() * maxPauseMs)
    try {
      await makeAll(database, plans)
      const { missing, retention } = await findDifferences(database, plans)
      differences = [...missing, ...retention]
      if (differences.length === 0) return
    } catch (error) {
      if (!isServerError(error, ...replacedCodes)) throw error
      differences = [String(error)]
    }
  }
  throw new Error(`The database differs from its definition: ${differences.join('; ')}`)
}

async function makeAll(database: Db, plans: readonly CollectionPlan[]): Promise<void> {
  await eachAtOnce(plans, collectionsAtOnce, async ({ name, options, indexes }) => {
    const isNew = await createIfMissing(database, name, options)
    if (options.clusteredIndex && !isNew) await replaceUnclustered(database, name, options)
    await createIndexes(database, name, indexes)
    const isRetained = indexes.some((index) => index.name === retentionIndex)
    if (!isRetained && !isNew) await dropIndex(database, name, retentionIndex)
  })
}
