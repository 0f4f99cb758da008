import { indexKeysUpTo, maxResponseBytes, type ReadBudgets, type Reader, toIndexKey } from '@herald/mongo'
import { Binary, type Collection } from 'mongodb'
import { type EntryPage, type ErasurePage, hashAt, type LogPageDocument } from '../documents/log-page-document.ts'
import type { CausalReads } from '../recorded-order/causal-reads.ts'

/** An entry's leaf in its page. */
export type StoredEntryLeaf = {
  readonly kind: 'entry'
  readonly index: number
  readonly leafHash: Buffer
  /** The key of the entry. */
  readonly key: Binary
  readonly salt: Buffer
  /** Zeros once the user was erased. */
  readonly userSalt: Buffer
  readonly userHash: Buffer
}

export type StoredErasureLeaf = {
  readonly kind: 'erasure'
  readonly index: number
  readonly leafHash: Buffer
  readonly eventId: Binary
  readonly time: Date
}

export type Leaf = StoredEntryLeaf | StoredErasureLeaf

export type LeafSource = {
  readonly logPages: Collection<LogPageDocument>
  readonly subscriberId: string
  readonly reads: CausalReads
  readonly budgets: Pick<ReadBudgets, 'bytes'>
  readonly reader: Reader
}

type Found =
  | Pick<EntryPage, '_id' | 'first' | 'count' | 'leafHashes' | 'ids' | 'salts' | 'userSalts' | 'userHashes'>
  | (Pick<ErasurePage, '_id' | 'first' | 'count' | 'leafHashes'> & {
      readonly erasure: Pick<ErasurePage['erasure'], 'eventId' | 'time'>
    })

/** A page with 1,000 entries has at most this size. The ranges of an erasure, which may be more, are read when its line is written. */
const maxPageBytes = 200 * 1024
/** About as many leaves are held at a time. */
const leavesPerRead = 1_000
const maxPagesPerRead = 500
const projection = {
  ...{ first: 1, count: 1, leafHashes: 1, ids: 1, salts: 1, userSalts: 1, userHashes: 1 },
  ...{ 'erasure.eventId': 1, 'erasure.time': 1 },
}

/**
 * Reads the leaves from an index to before another one, some at a time. None is left out, unless its page was removed or altered: whoever
 * verifies what was read finds that.
 */
export async function* readLeaves(source: LeafSource, from: number, to: number): AsyncGenerator<readonly Leaf[]> {
  const { logPages, subscriberId, reads, budgets, reader } = source
  const find = (filter: object, sort: 1 | -1, limit: number) =>
    budgets.bytes.within(reader, Math.min(maxResponseBytes, limit * maxPageBytes), () =>
      reads.find<Found>(logPages as never, { filter: filter as never, projection, sort: { _id: sort }, limit }),
    )
  const first = indexKeysUpTo(subscriberId, from)
  let pages = from < to ? (await find({ _id: first }, -1, 1)).documents : []
  for (let [at, limit] = [from, 1]; at < to; ) {
    const leaves: Leaf[] = []
    let taken = 0
    for (const page of pages) {
      if (leaves.length >= leavesPerRead) break
      const end = Math.min(to, page.first + page.count)
      for (at = Math.max(at, page.first); at < end; at++) {
        const leaf = leafOf(page, at)
        if (leaf !== undefined) leaves.push(leaf)
      }
      taken++
    }
    // Pages are not held while the reader is slow.
    pages = []
    if (leaves.length > 0) yield leaves
    if (at >= to) return
    limit = Math.max(
      1,
      Math.min(maxPagesPerRead, 8 * limit, Math.ceil((leavesPerRead * taken) / Math.max(1, leaves.length))),
    )
    const _id = { $gte: toIndexKey(subscriberId, at), $lt: toIndexKey(subscriberId, to) }
    pages = (await find({ _id }, 1, limit)).documents
    if (pages.length === 0) return
  }
}

function leafOf(page: Found, index: number): Leaf | undefined {
  const at = index - page.first
  // Copied, because otherwise it retains the whole response.
  const hashIn = (field: Binary) => Buffer.from(hashAt(field, at))
  const leaf = { index, leafHash: hashIn(page.leafHashes) }
  if ('erasure' in page) return { kind: 'erasure', ...leaf, ...page.erasure }
  const id = page.ids[at]
  if (id === undefined) return undefined
  const key = new Binary(Buffer.concat([page._id.buffer.subarray(0, 16), id.buffer]))
  const [salt, userSalt, userHash] = [page.salts, page.userSalts, page.userHashes].map(hashIn) as [
    Buffer,
    Buffer,
    Buffer,
  ]
  return { kind: 'entry', ...leaf, key, salt, userSalt, userHash }
}
