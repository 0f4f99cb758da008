import { indexKeysUpTo, StorageUnavailableError, toIndexKey } from '@herald/mongo'
import { hashBytes } from '@herald/sealed-log'
import type { Collection } from 'mongodb'
import type { LogPageDocument } from '../documents/log-page-document.ts'
import { type CausalReads, createCausalReads } from '../recorded-order/causal-reads.ts'

/** The leaves of all logs in recorded order, as a majority has them. */
export type LogLeaves = {
  /** @param reads the length is not older than these */
  length(subscriberId: string, reads?: CausalReads): Promise<number>
  /**
   * The hashes of the leaves from `from` to before `to`, 32 bytes each; they never change.
   *
   * @throws StorageUnavailableError if one is not recorded, or cannot be read yet
   */
  readHashes(subscriberId: string, from: number, to: number): Promise<Uint8Array>
}

type FoundPage = Pick<LogPageDocument, 'first' | 'count' | 'leafHashes'>

/** Small pages are read together. */
const pagesPerRead = 500
const projection = { _id: 0, first: 1, count: 1, leafHashes: 1 } as const

/** The leaf hashes that are in the pages of the recorded order. */
export function createLogLeaves(logPages: Collection<LogPageDocument>): LogLeaves {
  const find = async (_id: object, sort: 1 | -1, limit: number, fields: object, reads = createCausalReads()) => {
    const query = { filter: { _id }, sort: { _id: sort }, limit, projection: fields }
    return (await reads.find<FoundPage>(logPages as never, query as never)).documents
  }

  return {
    async length(subscriberId, reads) {
      const [last] = await find(indexKeysUpTo(subscriberId), -1, 1, { _id: 0, first: 1, count: 1 }, reads)
      return last ? last.first + last.count : 0
    },
    async readHashes(subscriberId, from, to) {
      const hashes = Buffer.allocUnsafe((to - from) * hashBytes)
      let end = from
      const take = ({ first, count, leafHashes }: FoundPage) => {
        if (first > end || first + count <= end) return
        const some = leafHashes.buffer.subarray((end - first) * hashBytes, (to - first) * hashBytes)
        hashes.set(some, (end - from) * hashBytes)
        end += some.length / hashBytes
      }
      const [containing] = await find(indexKeysUpTo(subscriberId, from), -1, 1, projection)
      if (containing) take(containing)
      while (end < to) {
        const before = end
        const next = { $gte: toIndexKey(subscriberId, end), $lt: toIndexKey(subscriberId, to) }
        for (const page of await find(next, 1, pagesPerRead, projection)) take(page)
        if (end === before) throw new StorageUnavailableError(`Leaf ${end} cannot be read`)
      }
      return hashes
    },
  }
}
