import { indexKeysUpTo, readLimits, runCommand, toIndexKey, toKey, uuidIn } from '@herald/mongo'
import type { Binary, Collection, Timestamp } from 'mongodb'
import { emptyChain, entriesPerPage, type LogPageDocument, pagesFrom } from '../documents/log-page-document.ts'
import { type CausalReads, createCausalReads } from './causal-reads.ts'

/** A page of the order, with the ids from the index on that was asked for. */
type FoundPage = Pick<LogPageDocument, 'first' | 'count' | 'recordedAt' | 'chain'> & {
  readonly ids?: readonly Binary[] | null
}

/** An entry in the order, by its key. */
type Indexed = { readonly index: number; readonly key: Binary }

export type LogSlice = {
  readonly entries: readonly Indexed[]
  /** The index behind the last leaf that was looked at. */
  readonly end: number
  /** When the first of these leaves was recorded; `undefined` if there is none. */
  readonly recordedAt: Date | undefined
  /** The chain of the page that has the leaf before an index of this slice; `undefined` if the log does not reach that far. */
  chainBefore(index: number): Uint8Array | undefined
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
    const projection = { _id: 0, first: 1, count: 1, recordedAt: 1, chain: 1, ids }
    return reads.find<FoundPage>(logPages as never, { filter, projection, sort: { _id: sort }, limit })
  }

  /** The page that contains an index, or the last one before it, behind the page before that one. */
  const pagesAt = async (index: number, count: number): Promise<FoundPage[]> => {
    const _id = indexKeysUpTo(subscriberId, index)
    return (await find({ _id }, -1, 2, index, count)).documents.toReversed()
  }
  const pageAt = async (index: number) => (await pagesAt(index, 1)).at(-1)

  return {
    /** The next leaves from an index on, with at most `count` entries. */
    async read(from: number, count: number): Promise<LogSlice> {
      const entries: Indexed[] = []
      const pages: FoundPage[] = []
      let end = from
      let recordedAt: Date | undefined
      const take = (page: FoundPage) => {
        const { first, count: leaves, recordedAt: at, ids } = page
        pages.push(page)
        if (first + leaves <= end || entries.length === count) return
        recordedAt ??= at
        const some = (ids ?? []).slice(0, count - entries.length)
        const start = Math.max(first, end)
        for (const [offset, id] of some.entries())
          entries.push({ index: start + offset, key: toKey(subscriberId, uuidIn(id)) })
        end = ids ? start + some.length : first + leaves
      }
      for (const page of await pagesAt(from, count)) take(page)
      for (let after = from; entries.length < count; ) {
        const _id = { ...pagesFrom(subscriberId, 0), $gt: toIndexKey(subscriberId, after) }
        const { documents, isCut } = await find({ _id }, 1, pagesPerRead, from, count)
        for (const page of documents) take(page)
        after = documents.at(-1)?.first ?? after
        if (!isCut) break
      }
      return { entries, end, recordedAt, chainBefore: (index) => chainBefore(pages, index) }
    },
    /**
     * Whether the log has so many leaves. Only a primary that a majority knows responds: another one could lack what was read
     * before. No later read is older.
     */
    async reaches(index: number): Promise<boolean> {
      const { collectionName, db } = logPages
      const filter = { _id: indexKeysUpTo(subscriberId, Math.max(0, index - 1)) }
      const last = { sort: { _id: -1 }, limit: 1, projection: { first: 1, count: 1 } }
      const readConcern = { level: 'linearizable' }
      const reply = await runCommand(db, { find: collectionName, filter, ...last, ...readLimits, readConcern })
      reads.note(reply.operationTime)
      const [page] = reply.cursor.firstBatch as FoundPage[]
      return page !== undefined && page.first + page.count >= index
    },
    /** The index behind the last leaf. */
    async end(): Promise<number> {
      const last = await pageAt(Number.MAX_SAFE_INTEGER)
      return last ? last.first + last.count : 0
    },
    /** The index of the first leaf that was not recorded before a time. */
    async firstSince(time: Date): Promise<number> {
      const last = await pageAt(Number.MAX_SAFE_INTEGER)
      let low = 0
      for (let high = last ? last.first + last.count : 0; low < high; ) {
        const page = await pageAt(Math.floor((low + high) / 2))
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

function chainBefore(pages: readonly FoundPage[], index: number): Uint8Array | undefined {
  if (index === 0) return emptyChain
  const page = pages.find(({ first, count }) => first < index && index <= first + count)
  return page?.chain.buffer
}
