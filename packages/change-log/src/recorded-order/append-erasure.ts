import { setTimeout as sleep } from 'node:timers/promises'
import { formatTimestamp } from '@herald/contracts'
import { hex, keyRange, type Position, StorageUnavailableError, toIndexKey, toUuidBinary, uuidIn } from '@herald/mongo'
import type { ErasureDocument } from '@herald/persons'
import { erasureLeafData, hashLeaf, hashUser } from '@herald/sealed-log'
import { Binary, type Collection } from 'mongodb'
import type { ChangeEntryDocument } from '../documents/change-entry-document.ts'
import {
  chainOf,
  type ErasurePage,
  encodeRanges,
  hashAt,
  type IndexRange,
  isDropped,
  toRanges,
} from '../documents/log-page-document.ts'
import type { CausalReads } from './causal-reads.ts'
import { userOf } from './entry-leaf.ts'
import { type LogPages, rangesOf, type Tail } from './log-pages.ts'

export type AppendErasure = (key: Binary, position?: Position) => Promise<void>

export type AppendErasureDependencies = {
  readonly changeEntries: Collection<ChangeEntryDocument>
  readonly erasures: Collection<ErasureDocument>
  readonly pages: LogPages
  readonly reads: CausalReads
  readonly now: () => Date
}

type WithUser = Pick<ChangeEntryDocument, '_id' | 'userId' | 'userName' | 'userEmail'>

const erasureKeyBytes = 32
const entriesPerRead = 500
const maxAttempts = 200
const pauseMs = 50

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
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const tail = await pages.tailOf(subscriberId)
      const ofPerson = await pages.findErasures(subscriberId, erasure.target)
      const own = ofPerson.find((page) => uuidIn(page.erasure.eventId) === uuidIn(key, 1))
      if (own) return pages.dropUserSalts(subscriberId, rangesOf(own))
      const taken = await findTaken(erasure, ofPerson.map(rangesOf))
      if (taken.length === 0) return
      const page = toPage(erasure, tail, position, taken)
      // Entries that another process has appended meanwhile may be of the person.
      if (!(await pages.insert([page])).has(page)) return pages.dropUserSalts(subscriberId, taken)
      await sleep(Math.random() * pauseMs)
    }
    throw new StorageUnavailableError('The erasure could not be appended')
  }

  /** The entries in the order whose user was erased after they were hashed, without those that an erasure there names. */
  async function findTaken(erasure: ErasureDocument, named: readonly (readonly IndexRange[])[]): Promise<IndexRange[]> {
    const subscriberId = uuidIn(erasure._id)
    const userId = toUuidBinary(uuidIn(erasure.target, 1))
    const range = keyRange([subscriberId], { createdTo: erasure.until.getTime() + 1 })
    const projection = { userId: 1, userName: 1, userEmail: 1 }
    const indexes: number[] = []
    for (let after: Binary | undefined; ; ) {
      const _id = after ? { ...range, $gt: after } : range
      const { documents, isCut } = await reads.find<WithUser>(changeEntries as never, {
        filter: { userId, _id } as never,
        ...{ projection, sort: { _id: 1 }, limit: entriesPerRead, hint: 'user' },
      })
      for await (const index of takenOf(documents)) indexes.push(index)
      after = documents.at(-1)?._id
      if (!isCut || after === undefined) break
    }
    return toRanges(withoutNamed(indexes, named.flat()))
  }

  async function* takenOf(entries: readonly WithUser[]): AsyncGenerator<number, void, void> {
    const users = new Map(entries.map((entry) => [hex(entry._id), userOf(entry as ChangeEntryDocument)]))
    const keys = entries.map(({ _id }) => _id)
    for await (const page of pages.pagesOf(keys, { first: 1, ids: 1, userSalts: 1, userHashes: 1 })) {
      for (const [at, id] of page.ids.entries()) {
        const user = users.get(hex(page._id).slice(0, 32) + hex(id))
        const salt = hashAt(page.userSalts, at)
        if (user === undefined || isDropped(salt)) continue
        if (!hashUser(salt, user).equals(hashAt(page.userHashes, at))) yield page.first + at
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
