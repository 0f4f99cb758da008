import type { Binary, Collection } from 'mongodb'
import { isDuplicateKey } from '../connection/storage-errors.ts'
import { hex, toUuidBinary } from '../keys/keys.ts'

export type LeaseDocument = {
  _id: string
  v: 1
  holder: Binary
  until: Date
  /** Milliseconds from when it was taken. */
  term: number
}

/**
 * Work that one process does at a time, by the clock of MongoDB's primary. A lease that ends later than its term from now was taken
 * before that clock stepped back, or on another server, and is free. A holder that was frozen may still work when the
 * next one has begun, so the work must be repeatable.
 */
export type Leases = {
  hold(name: string, lease: { readonly holder: string; readonly ms: number }): Promise<boolean>
  release(name: string, holder: string): Promise<void>
}

/** By how much the times may differ that processes measure at one moment. */
const measuredWithinMs = 10_000

/** Whether a lease that ends then is held, for those that processes stamp themselves: not if it ends later than its term from now. */
export const heldUntil = (now: Date, termMs: number) => ({
  $gt: now,
  $lte: new Date(now.getTime() + termMs + measuredWithinMs),
})

/** Renews a lease in between. Resolves to `false` if another process has it, or if the work is to stop. */
export type Hold = () => Promise<boolean>

export function createLeases(collection: Collection<LeaseDocument>): Leases {
  return {
    async hold(name, { holder: id, ms }) {
      const holder = toUuidBinary(id)
      const until = { $ifNull: ['$until', '$$NOW'] }
      const latest = { $add: ['$$NOW', { $ifNull: ['$term', ms] }] }
      const isFree = { $or: [{ $lte: [until, '$$NOW'] }, { $gt: [until, latest] }, { $eq: ['$holder', holder] }] }
      const ifFree = (value: unknown, field: string) => ({ $cond: [isFree, value, field] })
      const lease = {
        v: 1,
        holder: ifFree(holder, '$holder'),
        until: ifFree({ $add: ['$$NOW', ms] }, '$until'),
        term: ifFree(ms, '$term'),
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
