import type { Collection } from 'mongodb'
import { StorageUnavailableError } from '../connection/storage-errors.ts'
import { toIndexKey } from '../documents/binary.ts'
import { type LogPageDocument, pagesFrom } from '../documents/log-page-document.ts'
import { createCausalReads } from '../recorded-order/causal-reads.ts'

/** The leaves of all logs in recorded order, as a majority has them. */
export type LogLeaves = {
  length(subscriberId: string): Promise<number>
  /**
   * The hashes of the leaves from `from` to before `to`, 32 bytes each; they never change.
   *
   * @throws StorageUnavailableError if one is not recorded, or cannot be read yet
   */
  readHashes(subscriberId: string, from: number, to: number): Promise<Uint8Array>
}

type FoundPage = Pick<LogPageDocument, 'first' | 'count' | 'leafHashes'>

const hashBytes = 32
/** Small pages are read together. */
const pagesPerRead = 500
const projection = { _id: 0, first: 1, count: 1, leafHashes: 1 } as const

/** The leaf hashes that are in the pages of the recorded order. */
export function createLogLeaves(logPages: Collection<LogPageDocument>): LogLeaves {
  const find = async (filter: object, sort: 1 | -1, limit: number, fields: object) => {
    const query = { filter, sort: { _id: sort }, limit, projection: fields }
    return (await createCausalReads().find<FoundPage>(logPages as never, query as never)).documents
  }
  const upTo = (subscriberId: string, index: number) => ({
    _id: { $gte: toIndexKey(subscriberId, 0), $lte: toIndexKey(subscriberId, index) },
  })

  return {
    async length(subscriberId) {
      const fields = { _id: 0, first: 1, count: 1 }
      const [last] = await find(upTo(subscriberId, Number.MAX_SAFE_INTEGER), -1, 1, fields)
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
      const [containing] = await find(upTo(subscriberId, from), -1, 1, projection)
      if (containing) take(containing)
      while (end < to) {
        const before = end
        const _id = { $gte: pagesFrom(subscriberId, end).$gte, $lt: toIndexKey(subscriberId, to) }
        for (const page of await find({ _id }, 1, pagesPerRead, projection)) take(page)
        if (end === before) throw new StorageUnavailableError(`Leaf ${end} cannot be read`)
      }
      return hashes
    },
  }
}
