import type { Binary, Collection } from 'mongodb'
import { isDuplicateKey } from '../connection/storage-errors.ts'
import { hex, toUuidBinary } from '../keys/keys.ts'

export type LeaseDocument = {
  _id: string
  v: 1
  holder: Binary
  until: Date
}

/**
 * Work that one process does at a time, by the clock of MongoDB's primary. A holder that was frozen may still work when the
 * next one has begun, so the work must be repeatable.
 */
export type Leases = {
  hold(name: string, lease: { readonly holder: string; readonly ms: number }): Promise<boolean>
  release(name: string, holder: string): Promise<void>
}

/** Renews a lease in between. Resolves to `false` if another process has it, or if the work is to stop. */
export type Hold = () => Promise<boolean>

export function createLeases(collection: Collection<LeaseDocument>): Leases {
  return {
    async hold(name, { holder: id, ms }) {
      const holder = toUuidBinary(id)
      const isFree = { $or: [{ $lte: [{ $ifNull: ['$until', '$$NOW'] }, '$$NOW'] }, { $eq: ['$holder', holder] }] }
      const ifFree = (value: unknown, field: string) => ({ $cond: [isFree, value, field] })
      const lease = {
        v: 1,
        holder: ifFree(holder, '$holder'),
        until: ifFree({ $add: ['$$NOW', ms] }, '$until'),
      }
      const options = { upsert: true, returnDocument: 'after' } as const
      try {
        const found = await collection.findOneAndUpdate({ _id: name }, [{ $set: lease }], options)
        return found !== null && hex(found.holder) === hex(holder)
      } catch (error) {
        // Another process inserted the lease at the same time.
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
    async release(name, holder) {
      await collection.updateOne({ _id: name, holder: toUuidBinary(holder) }, { $set: { until: new Date(0) } })
    },
  }
}
