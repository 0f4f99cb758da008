import { indexKeysUpTo, toIndexKey, toKey, uuidIn } from '@herald/mongo'
import type { Binary, Collection, Timestamp } from 'mongodb'
import { entriesPerPage, type LogPageDocument, pagesFrom } from '../documents/log-page-document.ts'
import { type CausalReads, createCausalReads } from './causal-reads.ts'

/** A page of the order, with the ids from the index on that was asked for. */
type FoundPage = Pick<LogPageDocument, 'first' | 'count' | 'recordedAt'> & { readonly ids?: readonly Binary[] | null }

/** An entry in the order, by its key. */
type Indexed = { readonly index: number; readonly key: Binary }

export type LogSlice = {
  readonly entries: readonly Indexed[]
  /** The index behind the last leaf that was looked at. */
  readonly end: number
  /** When the first of these leaves was recorded; `undefined` if there is none. */
  readonly recordedAt: Date | undefined
}

/** Small pages are read several at a time. */
const pagesPerRead = 100

export type LogReader = ReturnType<typeof createLogReader>

/** Reads the order of one log, for one request: what was read once is there in later reads too. */
export function createLogReader(
  logPages: Collection<LogPageDocument>,
  subscriberId: string,
  reads: CausalReads = createCausalReads(),
) {
  const find = (filter: object, sort: 1 | -1, limit: number, from: number, count: number) => {
    // Bounded, because `$slice` takes no larger number than 32 bits have.
    const skipped = { $max: [0, { $min: [entriesPerPage, { $subtract: [from, '$first'] }] }] }
    const ids = { $slice: ['$ids', skipped, count] }
    const projection = { _id: 0, first: 1, count: 1, recordedAt: 1, ids }
    return reads.find<FoundPage>(logPages as never, { filter, projection, sort: { _id: sort }, limit })
  }

  /** The page that contains an index, or the last one before it. */
  const pageAt = async (index: number, count: number): Promise<FoundPage | undefined> => {
    const _id = indexKeysUpTo(subscriberId, index)
    return (await find({ _id }, -1, 1, index, count)).documents[0]
  }

  return {
    /** The next leaves from an index on, with at most `count` entries. */
    async read(from: number, count: number): Promise<LogSlice> {
      const entries: Indexed[] = []
      let end = from
      let recordedAt: Date | undefined
      const take = ({ first, count: leaves, recordedAt: at, ids }: FoundPage) => {
        if (first + leaves <= end || entries.length === count) return
        recordedAt ??= at
        const some = (ids ?? []).slice(0, count - entries.length)
        const start = Math.max(first, end)
        for (const [offset, id] of some.entries())
          entries.push({ index: start + offset, key: toKey(subscriberId, uuidIn(id)) })
        end = ids ? start + some.length : first + leaves
      }
      const containing = await pageAt(from, count)
      if (containing) take(containing)
      for (let after = from; entries.length < count; ) {
        const _id = { ...pagesFrom(subscriberId, 0), $gt: toIndexKey(subscriberId, after) }
        const { documents, isCut } = await find({ _id }, 1, pagesPerRead, from, count)
        for (const page of documents) take(page)
        after = documents.at(-1)?.first ?? after
        if (!isCut) break
      }
      return { entries, end, recordedAt }
    },
    /** The index behind the last leaf. */
    async end(): Promise<number> {
      const last = await pageAt(Number.MAX_SAFE_INTEGER, 1)
      return last ? last.first + last.count : 0
    },
    /** The index of the first leaf that was not recorded before a time. */
    async firstSince(time: Date): Promise<number> {
      const last = await pageAt(Number.MAX_SAFE_INTEGER, 1)
      let low = 0
      for (let high = last ? last.first + last.count : 0; low < high; ) {
        const page = await pageAt(Math.floor((low + high) / 2), 1)
        if (page === undefined) break
        if (page.recordedAt < time) low = page.first + page.count
        else high = page.first
      }
      return low
    },
    /** No later read is older. */
    get time(): Timestamp | undefined {
      return reads.time
    },
  }
}
