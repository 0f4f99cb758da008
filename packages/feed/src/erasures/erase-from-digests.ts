import { readInBatches, readLimits, writeAll } from '@herald/mongo'
import type { ErasedPersons, FindErased } from '@herald/persons'
import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb'
import type { DigestDocument } from '../documents/collections.ts'
import { type MaskedDigest, maskDigest, personsInDigest } from '../documents/mask-digest.ts'

/** Erases persons from digests addressed to them, or that name them. Returns the number of documents changed. */
export type EraseFromDigests = (where: Filter<DigestDocument>, find: FindErased) => Promise<number>

/** A digest has about 20 KB, at most 700 KB with very many notifications. */
const digestsPerBatch = 20

export function createEraseFromDigests(digests: Collection<DigestDocument>): EraseFromDigests {
  const toWrite = (digest: DigestDocument, find: FindErased): AnyBulkWriteOperation<DigestDocument>[] => {
    const masked = maskDigest(digest, find)
    if (masked === digest) return []
    const { _id } = digest
    if (masked === undefined) return [{ deleteOne: { filter: { _id } } }]
    // It may be published meanwhile, and then its data must not come back.
    const isPublished = { $eq: [{ $type: '$data' }, 'missing'] }
    const data = { $cond: [isPublished, '$$REMOVE', { $literal: masked.data ?? '' }] }
    const $set = { notifications: { $literal: masked.notifications }, data }
    return [{ updateOne: { filter: { _id }, update: [{ $set }] } }]
  }
  return async (where, find) => {
    let erased = 0
    const found = digests.find(where, { ...readLimits, batchSize: digestsPerBatch })
    for await (const batch of readInBatches(found, digestsPerBatch)) {
      const writes = batch.flatMap((digest) => toWrite(digest as DigestDocument, find))
      erased += (await writeAll(digests, writes)).changed
    }
    return erased
  }
}

/** Erases persons from digests that were just written or read, because an erasure may not have come to them yet. */
export type EraseWritten = (written: readonly MaskedDigest[]) => Promise<{ readonly hasErased: boolean }>

export function createEraseWritten(digests: Collection<DigestDocument>, erasedPersons: ErasedPersons): EraseWritten {
  const erase = createEraseFromDigests(digests)
  return async (written) => {
    if (written.length === 0) return { hasErased: false }
    const { find, isEmpty } = await erasedPersons.look(written.map(personsInDigest))
    if (isEmpty) return { hasErased: false }
    await erase({ _id: { $in: written.map(({ _id }) => _id) } }, find)
    return { hasErased: true }
  }
}
