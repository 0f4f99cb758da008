import { randomBytes } from 'node:crypto'
import { Binary, type Collection, type Filter, type OptionalUnlessRequiredId } from 'mongodb'
import { isDuplicateKey, StorageUnavailableError } from '../connection/storage-errors.ts'
import { readLimits } from '../reading/read-limits.ts'

/** A secret shared by all processes. */
export type KeyDocument<Id> = { _id: Id; v: 1; key: Binary }

const newKey = () => new Binary(randomBytes(32))

/** Replaces the secret: what was made with the old one is void for every process that looks again. */
export async function renewSharedKey<Id>(collection: Collection<KeyDocument<Id>>, _id: Id): Promise<void> {
  const update = { $set: { v: 1, key: newKey() } } as never
  await collection.updateOne({ _id } as Filter<KeyDocument<Id>>, update, { upsert: true })
}

/** Returns 32 random bytes, created at the first call and then the same for every process. */
export async function sharedKey<Id>(collection: Collection<KeyDocument<Id>>, _id: Id): Promise<Buffer> {
  // A key that is not on a majority could be replaced by another one after a failover.
  const find = () => collection.findOne({ _id } as Filter<KeyDocument<Id>>, { ...readLimits, readConcern: 'majority' })
  let document = await find()
  if (!document) {
    // Throws if the collection is missing, which an insert would create without the options of `migrate`.
    await collection.indexes(readLimits)
    try {
      await collection.insertOne({ _id, v: 1, key: newKey() } as OptionalUnlessRequiredId<KeyDocument<Id>>)
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
    }
    document = await find()
  }
  if (!document) throw new StorageUnavailableError('The key is not available yet')
  return Buffer.from(document.key.buffer)
}
