import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { CreateCollectionOptions, Db } from 'mongodb'
import { MongoServerError } from 'mongodb'
import { insertNew } from '../insert-new.ts'

/** NamespaceNotFound, NamespaceExists. */
const overtaken = new Set<unknown>([26, 48])

/** Returns false if another migration or a writer was faster. */
async function unlessOvertaken(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (error instanceof MongoServerError && overtaken.has(error.code)) return false
    throw error
  }
}

const attempts = 50
const maxPauseMs = 100

/**
 * Recreates a collection that must be clustered and is not, because a write before the first migration creates an ordinary
 * one. Only an empty collection is replaced, and by renaming: a document that is written meanwhile is moved, not dropped.
 * Several migrations may do this at once.
 *
 * @throws if it contains documents
 */
export async function rebuildUnclustered(database: Db, name: string, options: CreateCollectionOptions): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const form = await formOf(database, name)
    if (form === 'clustered') return
    if (form === 'ordinary') {
      if ((await database.collection(name).findOne({}, { projection: { _id: 1 } })) !== null) {
        throw new Error(
          `The collection ${name} is not clustered and holds documents. Stop its writers, rename it, migrate again and copy its documents back.`,
        )
      }
      const aside = `${name}-unclustered-${randomUUID()}`
      if (await unlessOvertaken(database.renameCollection(name, aside))) {
        await unlessOvertaken(database.createCollection(name, options))
        await moveBack(database, aside, name)
        continue
      }
    }
    // Another migration has renamed it and creates it next.
    await pause(Math.random() * maxPauseMs)
    await unlessOvertaken(database.createCollection(name, options))
  }
  throw new Error(`The collection ${name} could not be recreated: other processes keep writing to it`)
}

async function formOf(database: Db, name: string): Promise<'missing' | 'ordinary' | 'clustered'> {
  const [found] = await database.listCollections({ name }).toArray()
  if (found === undefined) return 'missing'
  return 'options' in found && found.options?.clusteredIndex !== undefined ? 'clustered' : 'ordinary'
}

async function moveBack(database: Db, aside: string, name: string): Promise<void> {
  // Few documents at most. MongoDB 6 does not accept a clustered collection as the target of `$merge`.
  const documents = await database.collection(aside).find().toArray()
  if (documents.length > 0) await insertNew(database.collection(name), documents)
  await database.dropCollection(aside)
}
