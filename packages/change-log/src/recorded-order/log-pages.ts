import {
  duplicateKey,
  hex,
  inBatches,
  indexKeysUpTo,
  runWrite,
  StorageUnavailableError,
  toIndexKey,
  toKey,
  toUuidBinary,
  uuidIn,
} from '@herald/mongo'
import { hashBytes } from '@herald/sealed-log'
import { Binary, type Collection } from 'mongodb'
import {
  decodeRanges,
  type EntryPage,
  type ErasurePage,
  emptyChain,
  type IndexRange,
  type LogPageDocument,
  pagesFrom,
} from '../documents/log-page-document.ts'
import type { CausalReads } from './causal-reads.ts'

/** The end of a log: its length, its chain, and the position up to which it is complete. */
export type Tail = { readonly length: number; readonly chain: Uint8Array; readonly position?: string | undefined }

export const tailAfter = ({
  first,
  count,
  chain,
  position,
}: Pick<LogPageDocument, 'first' | 'count' | 'chain' | 'position'>) => ({
  length: first + count,
  chain: chain.buffer,
  position,
})

export type LogPages = ReturnType<typeof createLogPages>

/** A page has at most 200 KB. */
const pagesPerInsert = { count: 500, bytes: 4 * 1024 * 1024 } as const
const pagesPerRead = 20
const keptTails = 10_000

const sizeOf = (page: LogPageDocument) => 500 + 200 * page.count

export function createLogPages(logPages: Collection<LogPageDocument>, reads: CausalReads) {
  /** Only hints: a page that does not begin at the end of its log is refused. */
  const tails = new Map<string, Tail>()

  const findIn = (
    filter: object,
    projection: object | undefined,
    sort: object | undefined,
    limit: number,
    hint?: string,
  ) =>
    reads.find<LogPageDocument>(logPages as never, {
      filter: filter as never,
      limit,
      ...(projection && { projection }),
      ...(sort && { sort }),
      ...(hint && { hint }),
    })

  /** The page that contains an index, or the last one before it. */
  async function pageAt(
    subscriberId: string,
    index: number,
    projection?: object,
  ): Promise<LogPageDocument | undefined> {
    const _id = indexKeysUpTo(subscriberId, index)
    return (await findIn({ _id }, projection, { _id: -1 }, 1)).documents[0]
  }

  /**
   * The pages that contain entries. One response of MongoDB may not have all of them, so those that were found are left out of
   * the next question.
   */
  async function* pagesOf(keys: readonly Binary[], projection: object): AsyncGenerator<EntryPage, void, void> {
    const left = new Map(keys.map((key) => [hex(key), key]))
    while (left.size > 0) {
      const asked = [...left.values()]
      const subscribers = asked.map((key) => uuidIn(key)).toSorted()
      const filter = {
        ids: { $in: asked.map((key) => toUuidBinary(uuidIn(key, 1))) },
        // Keeps the query on the shards of these subscribers.
        _id: { $gte: toIndexKey(subscribers[0] as string, 0), $lte: pagesFrom(subscribers.at(-1) as string, 0).$lte },
      }
      const { documents, isCut } = await findIn(filter, projection, undefined, asked.length + 1, 'ids')
      for (const page of documents as EntryPage[]) {
        yield page
        for (const id of page.ids) left.delete(hex(toKey(uuidIn(page._id), uuidIn(id))))
      }
      if (!isCut) return
    }
  }

  return {
    async tailOf(subscriberId: string): Promise<Tail> {
      const kept = tails.get(subscriberId)
      if (kept) return kept
      const projection = { first: 1, count: 1, chain: 1, position: 1 }
      const last = await pageAt(subscriberId, Number.MAX_SAFE_INTEGER, projection)
      const tail = last ? tailAfter(last) : { length: 0, chain: emptyChain }
      if (tails.size >= keptTails) tails.clear()
      tails.set(subscriberId, tail)
      return tail
    },
    forgetTail: (subscriberId: string) => tails.delete(subscriberId),
    forgetTails: () => tails.clear(),
    /** The keys, of those given, that are in the order. */
    async findRecorded(keys: readonly Binary[]): Promise<Set<string>> {
      const asked = new Set(keys.map(hex))
      const found = new Set<string>()
      for await (const { _id, ids } of pagesOf(keys, { ids: 1 })) {
        for (const id of ids) {
          const key = hex(toKey(uuidIn(_id), uuidIn(id)))
          if (asked.has(key)) found.add(key)
        }
      }
      return found
    },
    pagesOf,
    /** The pages of entries that have an index from one to before another, in their order. */
    async *pagesIn(
      subscriberId: string,
      from: number,
      to: number,
      projection: object,
    ): AsyncGenerator<EntryPage, void, void> {
      for (let first = from; first < to; ) {
        const start = first === from ? (await pageAt(subscriberId, from, { first: 1 }))?.first : first
        const _id = { $gte: toIndexKey(subscriberId, start ?? from), $lt: toIndexKey(subscriberId, to) }
        const { documents, isCut } = await findIn({ _id }, projection, { _id: 1 }, pagesPerRead)
        for (const page of documents) if ('ids' in page) yield page
        const last = documents.at(-1)
        if (!isCut || last === undefined) return
        first = last.first + last.count
      }
    },
    /** The erasures of a person that are in the order. */
    async findErasures(subscriberId: string, target: Binary): Promise<readonly ErasurePage[]> {
      const filter = { 'erasure.target': target, _id: pagesFrom(subscriberId, 0) }
      const pages: ErasurePage[] = []
      for (let after: Binary | undefined; ; after = pages.at(-1)?._id) {
        const range = after ? { ...filter, _id: { ...filter._id, $gt: after } } : filter
        const { documents, isCut } = await findIn(range, undefined, { _id: 1 }, 100, 'erasures')
        pages.push(...(documents as ErasurePage[]))
        if (!isCut) return pages
      }
    },
    /**
     * Inserts pages, at most one of each log, each at the end of its log. Returns those that were refused because the log has
     * grown: then nothing of it may be inserted that was made for the old end.
     */
    async insert(pages: readonly LogPageDocument[]): Promise<Set<LogPageDocument>> {
      const refused = new Set<LogPageDocument>()
      const { count, bytes } = pagesPerInsert
      for (const documents of inBatches(pages, count, { bytes, sizeOf })) {
        const command = { insert: logPages.collectionName, documents, ordered: false }
        const reply = await runWrite(logPages, command, { ignoreUndefined: true })
        reads.note(reply.operationTime)
        for (const { code, index } of reply.writeErrors ?? []) {
          if (code !== duplicateKey) throw new StorageUnavailableError(`MongoDB refused a page with code ${code}`)
          refused.add(documents[index] as LogPageDocument)
        }
        if (reply.n + (reply.writeErrors?.length ?? 0) !== documents.length)
          throw new StorageUnavailableError(`MongoDB confirmed ${reply.n} of ${documents.length} pages`)
      }
      for (const page of pages) {
        const subscriberId = uuidIn(page._id)
        if (refused.has(page)) tails.delete(subscriberId)
        else tails.set(subscriberId, tailAfter(page))
      }
      return refused
    },
    /** Replaces the user salts of entries by zeros. */
    async dropUserSalts(subscriberId: string, ranges: readonly IndexRange[]): Promise<void> {
      const projection = { first: 1, count: 1, userSalts: 1 }
      for (let [at, from] = [0, ranges[0]?.[0] ?? 0]; at < ranges.length; ) {
        const page = (await pageAt(subscriberId, from, projection)) as EntryPage | undefined
        if (page === undefined || page.first + page.count <= from)
          throw new StorageUnavailableError(`No page contains the index ${from}`)
        const end = page.first + page.count
        const salts = Buffer.from(page.userSalts.buffer)
        let next = at
        for (let start = from; next < ranges.length && start < end; ) {
          const to = (ranges[next] as IndexRange)[1]
          salts.fill(0, (start - page.first) * hashBytes, (Math.min(to, end) - page.first) * hashBytes)
          if (to > end) break
          start = ranges[++next]?.[0] ?? end
        }
        if (!salts.equals(page.userSalts.buffer)) {
          // Another process may drop those of another person at the same time.
          const unchanged = { _id: page._id, userSalts: page.userSalts } as never
          const update = { $set: { userSalts: new Binary(salts) } } as never
          const { matchedCount } = await logPages.updateOne(unchanged, update)
          if (matchedCount === 0) continue
        }
        at = next
        from = Math.max(ranges[at]?.[0] ?? 0, end)
      }
    },
  }
}

/** The ranges that an erasure in the order names. */
export const rangesOf = ({ erasure }: ErasurePage): IndexRange[] => decodeRanges(erasure.leafIndexes)
