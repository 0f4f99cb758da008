import type { Collection, Filter } from 'mongodb'
import type { DigestDocument } from '../announcements/digest-document.ts'
import { readLimits } from '../reading/read-limits.ts'
import type { ErasedPersons, FindErased } from './erased-persons.ts'
import { maskDigest, personsInDigest } from './mask-digest.ts'

/**
 * Erases persons from digests: those addressed to them, and those that name them. Repeating it changes nothing.
 *
 * @returns the number of documents changed
 */
export type EraseFromDigests = (where: Filter<DigestDocument>, find: FindErased) => Promise<number>

/** Of about 20 KB each, at most 700 KB with very many notifications. */
const digestsPerBatch = 20

export function createEraseFromDigests(digests: Collection<DigestDocument>): EraseFromDigests {
  const toWrite = (digest: DigestDocument, find: FindErased): object[] => {
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
  const write = async (batch: readonly DigestDocument[], find: FindErased): Promise<number> => {
    const writes = batch.flatMap((digest) => toWrite(digest, find))
    if (writes.length === 0) return 0
    const { modifiedCount, deletedCount } = await digests.bulkWrite(writes as never, { ordered: false })
    return modifiedCount + deletedCount
  }
  return async (where, find) => {
    let [changed, batch]: [number, DigestDocument[]] = [0, []]
    for await (const digest of digests.find(where, { ...readLimits, batchSize: digestsPerBatch })) {
      batch.push(digest as DigestDocument)
      if (batch.length < digestsPerBatch) continue
      changed += await write(batch, find)
      batch = []
    }
    return changed + (await write(batch, find))
  }
}

/**
 * Erases persons from digests that were just written or read, because an erasure may not have come to them yet.
 *
 * @returns whether erased persons were found, so that the digests may have changed
 */
export type EraseWritten = (written: readonly WrittenDigest[]) => Promise<{ readonly hasErased: boolean }>

/** Of the notifications, the oldest is read. */
type WrittenDigest = Pick<DigestDocument, '_id' | 'notifications' | 'data'>

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
