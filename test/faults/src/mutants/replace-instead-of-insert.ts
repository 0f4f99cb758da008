import type { Collection, Document } from 'mongodb'

/** A mutant: a replayed document replaces the stored one, including its read state. */
export async function insertNew(collection: Collection, documents: Iterable<Document>) {
  const all = [...documents]
  for (let start = 0; start < all.length; start += 1_000) {
    const replacements = all.slice(start, start + 1_000).map((replacement) => ({
      replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true },
    }))
    await collection.bulkWrite(replacements, { ordered: false })
  }
  return { inserted: all.length, duplicates: 0, refused: [] }
}
