import { setTimeout as sleep } from 'node:timers/promises'
import { bytesToUuid, formatTimestamp } from '@herald/contracts'
import {
  inBatches,
  keyRange,
  type Position,
  StorageUnavailableError,
  toIndexKey,
  toKey,
  toUuidBinary,
  uuidIn,
} from '@herald/mongo'
import type { ErasureDocument } from '@herald/persons'
import { erasureLeafData, hashLeaf, hashUser } from '@herald/sealed-log'
import { Binary, type Collection } from 'mongodb'
import type { ChangeEntryDocument } from '../documents/change-entry-document.ts'
import {
  chainOf,
  type EntryPage,
  type ErasurePage,
  encodeRanges,
  hashAt,
  type IndexRange,
  isDropped,
  toRanges,
} from '../documents/log-page-document.ts'
import type { CausalReads } from './causal-reads.ts'
import { type LogPages, rangesOf, type Tail } from './log-pages.ts'

export type AppendErasure = (key: Binary, position?: Position) => Promise<void>

export type AppendErasureDependencies = {
  readonly changeEntries: Collection<ChangeEntryDocument>
  readonly erasures: Collection<ErasureDocument>
  readonly pages: LogPages
  readonly reads: CausalReads
  readonly now: () => Date
}

const erasureKeyBytes = 32
/** The ids of so many entries are held in memory: some 100 bytes each. */
const idsAtOnce = 250_000
const idsPerRead = 10_000
/** With fewer ids than one among so many leaves, pages are looked up by ids. */
const leavesPerId = 500
const idsPerLookup = 500
const maxAttempts = 200
const pauseMs = 50
const fields = { first: 1, count: 1, ids: 1, userSalts: 1, userHashes: 1 } as const

/**
 * Appends an erasure whose work is done to the log of its subscriber, if it took the user of an entry there, and then drops the
 * salts of these users. Can be repeated: it is appended once, and the salts are those of its leaf.
 */
export function createAppendErasure(dependencies: AppendErasureDependencies): AppendErasure {
  const { changeEntries, erasures, pages, reads, now } = dependencies
  return async (key, position) => {
    if (key.length() !== erasureKeyBytes) return
    const [erasure] = (await reads.find<ErasureDocument>(erasures, { filter: { _id: key }, limit: 1 })).documents
    if (erasure === undefined || erasure.work !== undefined) return
    // A recorded erasure is looked at again: this process may have appended an entry meanwhile that it had read before the erasure.
    await append(erasure, position)
    if (erasure.unrecorded) await erasures.updateOne({ _id: key }, { $unset: { unrecorded: true } })
  }

  async function append(erasure: ErasureDocument, position: Position | undefined): Promise<void> {
    const key = erasure._id
    const subscriberId = uuidIn(key)
    const taken: number[] = []
    for (let [attempt, from] = [0, 0]; attempt < maxAttempts; attempt++) {
      const tail = await pages.tailOf(subscriberId)
      const ofPerson = await pages.findErasures(subscriberId, erasure.target)
      const own = ofPerson.find((page) => uuidIn(page.erasure.eventId) === uuidIn(key, 1))
      if (own) return pages.dropUserSalts(subscriberId, rangesOf(own))
      // Entries that another process has appended meanwhile may be of the person.
      for await (const index of takenIn(erasure, from, tail.length)) taken.push(index)
      from = tail.length
      const ranges = toRanges(withoutNamed(taken, ofPerson.flatMap(rangesOf)))
      if (ranges.length === 0) return
      const page = toPage(erasure, tail, position, ranges)
      if (!(await pages.insert([page])).has(page)) return pages.dropUserSalts(subscriberId, ranges)
      await sleep(Math.random() * pauseMs)
    }
    throw new StorageUnavailableError('The erasure could not be appended')
  }

  /**
   * The indexes in a part of the log of the entries whose user was erased after they were hashed. Each page is read once for many
   * entries: their ids may be in no order, as when many have one time.
   */
  async function* takenIn(erasure: ErasureDocument, from: number, to: number): AsyncGenerator<number, void, void> {
    if (from === to) return
    const subscriberId = uuidIn(erasure._id)
    const user = { id: uuidIn(erasure.target, 1), name: '', email: '' }
    for await (const ids of idsOf(erasure)) {
      const isFew = ids.size * leavesPerId < to - from
      for await (const page of isFew ? pagesWith(subscriberId, ids) : pages.pagesIn(subscriberId, from, to, fields)) {
        for (const [at, id] of page.ids.entries()) {
          const index = page.first + at
          if (index < from || index >= to || !ids.has(textOf(id))) continue
          const salt = hashAt(page.userSalts, at)
          if (!isDropped(salt) && !hashUser(salt, user).equals(hashAt(page.userHashes, at))) yield index
        }
      }
    }
  }

  /** The ids of the entries that have the pseudonym of the person and nothing else of a user. */
  async function* idsOf({ _id: key, target, until }: ErasureDocument): AsyncGenerator<Set<string>, void, void> {
    const userId = toUuidBinary(uuidIn(target, 1))
    const range = keyRange([uuidIn(key)], { createdTo: until.getTime() + 1 })
    let ids = new Set<string>()
    for (let after: Binary | undefined; ; ) {
      const _id = after ? { ...range, $gt: after } : range
      const { documents, isCut } = await reads.find<{ _id: Binary }>(changeEntries as never, {
        filter: { userId, userName: '', userEmail: '', _id },
        ...{ projection: { _id: 1 }, sort: { _id: 1 }, limit: idsPerRead, hint: 'user' },
      })
      for (const entry of documents) ids.add(textOf(entry._id, 1))
      after = documents.at(-1)?._id
      const isLast = !isCut || after === undefined
      if (ids.size > 0 && (isLast || ids.size >= idsAtOnce)) {
        yield ids
        ids = new Set()
      }
      if (isLast) return
    }
  }

  async function* pagesWith(subscriberId: string, ids: ReadonlySet<string>): AsyncGenerator<EntryPage, void, void> {
    const seen = new Set<number>()
    for (const some of inBatches(ids, idsPerLookup)) {
      const keys = some.map((id) => toKey(subscriberId, bytesToUuid(Buffer.from(id, 'latin1'), 0)))
      for await (const page of pages.pagesOf(keys, fields)) {
        if (!seen.has(page.first)) yield page
        seen.add(page.first)
      }
    }
  }

  function toPage(
    erasure: ErasureDocument,
    tail: Tail,
    position: Position | undefined,
    leafIndexes: IndexRange[],
  ): ErasurePage {
    const subscriberId = uuidIn(erasure._id)
    const eventId = uuidIn(erasure._id, 1)
    const leaf = { eventId, time: formatTimestamp(erasure.until), leafIndexes }
    const leafHashes = new Binary(hashLeaf(erasureLeafData(leaf)))
    return {
      _id: toIndexKey(subscriberId, tail.length),
      v: 1,
      first: tail.length,
      count: 1,
      position: position ?? tail.position,
      recordedAt: now(),
      leafHashes,
      chain: chainOf(tail.chain, leafHashes),
      erasure: {
        target: erasure.target,
        eventId: toUuidBinary(eventId),
        time: erasure.until,
        leafIndexes: encodeRanges(leafIndexes),
      },
    }
  }
}

/** An id in as few bytes as a text can have. */
const textOf = ({ buffer }: Binary, index = 0): string =>
  Buffer.from(buffer.buffer, buffer.byteOffset, buffer.length).toString('latin1', 16 * index, 16 * (index + 1))

function withoutNamed(indexes: readonly number[], named: readonly IndexRange[]): number[] {
  const ranges = named.toSorted(([one], [other]) => one - other)
  let at = 0
  return indexes
    .toSorted((one, other) => one - other)
    .filter((index) => {
      while (at < ranges.length && (ranges[at] as IndexRange)[1] <= index) at++
      return at === ranges.length || index < (ranges[at] as IndexRange)[0]
    })
}
