import { randomUUID } from 'node:crypto'
import type { CreateCollectionOptions, Db } from 'mongodb'
import { MongoServerError } from 'mongodb'
import { insertNew } from './insert-new.ts'

/** NamespaceNotFound, NamespaceExists. */
const overtaken = new Set<unknown>([26, 48])

/** Whether it was done; not when another migration or a writer was quicker. */
async function unlessOvertaken(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (error instanceof MongoServerError && overtaken.has(error.code)) return false
    throw error
  }
}

const attempts = 10

/**
 * Makes a collection anew that has to be clustered and is not: a write into a collection that does not exist makes an
 * ordinary one. Only an empty one is touched, and by renaming: what somebody writes in that moment is moved, not dropped.
 *
 * @throws when it holds documents
 */
export async function rebuildUnclustered(database: Db, name: string, options: CreateCollectionOptions): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (await isClustered(database, name)) return
    if ((await database.collection(name).findOne({}, { projection: { _id: 1 } })) !== null) {
      throw new Error(
        `The collection ${name} is not clustered and holds documents. Stop what writes to it, rename it, migrate again and copy its documents back.`,
      )
    }
    const aside = `${name}-unclustered-${randomUUID()}`
    if (!(await unlessOvertaken(database.renameCollection(name, aside)))) continue
    await unlessOvertaken(database.createCollection(name, options))
    await moveBack(database, aside, name)
  }
  if (!(await isClustered(database, name)))
    throw new Error(`The collection ${name} is written to while it is made anew`)
}

async function isClustered(database: Db, name: string): Promise<boolean> {
  const [found] = await database.listCollections({ name }).toArray()
  return found !== undefined && 'options' in found && found.options?.clusteredIndex !== undefined
}

async function moveBack(database: Db, aside: string, name: string): Promise<void> {
  // What came within a moment. MongoDB 6 does not take a clustered collection as the target of `$merge`.
  const documents = await database.collection(aside).find().toArray()
  if (documents.length > 0) await insertNew(database.collection(name), documents)
  await database.dropCollection(aside)
}
