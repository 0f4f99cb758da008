import { readFileSync } from 'node:fs'
import { BSON, type Db, type Document } from 'mongodb'
import type { Event } from '../support/events.ts'

type RecordedUser = { readonly id: string; readonly subscriberId: string }

/** A request of one of the users, and what that release answered. */
export type RecordedAnswer = { readonly user: number; readonly path: string; readonly body: string }

type RecordedCollection = { name: string; options: Document; indexes: Document[]; documents: Document[] }

/** The documents and responses of an older release. */
export type RecordedRelease = {
  /** The commit. */
  readonly release: string
  readonly users: readonly RecordedUser[]
  /** The events that it consumed, by topic. */
  readonly events: {
    readonly mention: readonly Event[]
    readonly change: readonly Event[]
    readonly receipt: readonly Event[]
  }
  /** The id of a notification that the first user created by `POST /`. */
  readonly created: string
  readonly answers: readonly RecordedAnswer[]
  readonly collections: readonly RecordedCollection[]
}

const file = new URL('85a0ba2.json', import.meta.url)

export const readRecordedRelease = () =>
  BSON.EJSON.parse(readFileSync(file, 'utf8'), { relaxed: false }) as RecordedRelease

/** All collections of a database, with their options and indexes. */
export async function dump(database: Db): Promise<RecordedCollection[]> {
  const listed = await database.listCollections().toArray()
  const dumped = listed.map(async ({ name, ...collection }) => ({
    name,
    options: (collection as { options?: Document }).options ?? {},
    indexes: await database.collection(name).indexes(),
    documents: await database.collection(name).find().toArray(),
  }))
  return (await Promise.all(dumped)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

export async function restore(database: Db, collections: readonly RecordedCollection[]): Promise<void> {
  for (const { name, options, indexes, documents } of collections) {
    const collection = await database.createCollection(name, options)
    // A clustered index and that of `_id` come with the collection.
    const others = indexes.filter(({ clustered, key }) => !clustered && Object.keys(key).join() !== '_id')
    for (const { key, v: _, ...rest } of others) await collection.createIndex(key, rest)
    if (documents.length > 0) await collection.insertMany(documents)
  }
}
