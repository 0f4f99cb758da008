import { type Collection, type Db, type Document, MongoBulkWriteError } from 'mongodb'
import { timeEach } from '../measure.ts'
import type { Address } from './documents.ts'
import type { Layout } from './layouts.ts'
import { addressOf } from './population.ts'

/** `insertMany` calls at once. */
export const writers = 2
const unordered = { ordered: false } as const
const mebibyte = 2 ** 20

export async function createNotifications(db: Db, layout: Layout): Promise<Collection<Document>> {
  await db.dropDatabase()
  const collection = await db.createCollection('notifications', layout.options)
  await collection.createIndexes(layout.indexes)
  return collection
}

export async function insertAll(collection: Collection<Document>, batches: Document[][]) {
  return timeEach(batches.length, writers, (i) => collection.insertMany(batches[i] ?? [], unordered))
}

export async function insertAgain(collection: Collection<Document>, batch: Document[]) {
  const failure: unknown = await collection.insertMany(batch, unordered).catch((error: unknown) => error)
  if (!(failure instanceof MongoBulkWriteError))
    throw new Error('A replayed batch was not rejected', { cause: failure })
  const errors = [failure.writeErrors].flat()
  if (errors.length !== batch.length || errors.some((error) => error.code !== 11000)) throw failure
}

export async function sizeOnDisk(db: Db) {
  await db.admin().command({ fsync: 1 })
  const stats = await db.command({ collStats: 'notifications' })
  return { data: stats.storageSize / mebibyte, indexes: stats.totalIndexSize / mebibyte }
}

export async function page(collection: Collection<Document>, layout: Layout, feed: Document) {
  const listed = { ...layout.states.listed, ...feed }
  const found = await collection.find(listed).sort(layout.newestFirst).limit(21).hint(layout.feedHint).toArray()
  if (found.length < 20) throw new Error(`A page has ${found.length} notifications`)
}

export async function countUnread(collection: Collection<Document>, layout: Layout, recipient: number) {
  const { unread, hint } = layout.states
  const count = await collection.countDocuments({ ...unread, ...layout.feed(addressOf(recipient, 0)) }, { hint })
  if (count !== 1_000) throw new Error(`${count} unread instead of 1,000`)
}

export async function markRead(collection: Collection<Document>, layout: Layout, address: Address) {
  const { toRead } = layout.states
  const marked = await collection.findOneAndUpdate(layout.byKey(address), toRead, { returnDocument: 'after' })
  if (!marked?.readAt) throw new Error('A mark found nothing')
}
