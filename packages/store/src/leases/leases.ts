import { type Collection, MongoServerError } from 'mongodb'
import { toUuidBinary } from '../binary.ts'
import type { LeaseDocument } from './lease-document.ts'

/** Work that one process does at a time. Two may overlap if their clocks differ, so the work must be repeatable. */
export type Leases = {
  /** Takes or extends the lease, unless another holder has it. */
  hold(name: string, lease: { readonly holder: string; readonly now: Date; readonly ms: number }): Promise<boolean>
  /** Lets another process take the lease at once. */
  release(name: string, holder: string): Promise<void>
}

const duplicateKey = 11_000

export function createLeases(collection: Collection<LeaseDocument>): Leases {
  return {
    async hold(name, { holder: id, now, ms }) {
      const holder = toUuidBinary(id)
      const until = new Date(now.getTime() + ms)
      try {
        await collection.updateOne(
          { _id: name, $or: [{ until: { $lte: now } }, { holder }] },
          { $set: { v: 1, holder, until } },
          { upsert: true },
        )
        return true
      } catch (error) {
        // Held by another: the filter matched nothing, and the upsert found the name taken.
        if (error instanceof MongoServerError && error.code === duplicateKey) return false
        throw error
      }
    },
    async release(name, holder) {
      await collection.updateOne({ _id: name, holder: toUuidBinary(holder) }, { $set: { until: new Date(0) } })
    },
  }
}
