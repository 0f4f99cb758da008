import {
  type Hold,
  type MonotonicClock,
  type Position,
  readAhead,
  readKey,
  readsAfter,
  runForBytes,
  StorageUnavailableError,
  timeOf,
  watch,
} from '@herald/mongo'
import type { ErasureDocument } from '@herald/persons'
import type { Binary, Collection, Db } from 'mongodb'
import type { ChangeEntryDocument } from '../documents/change-entry-document.ts'
import type { AppendEntries } from './append-entries.ts'
import type { AppendErasure } from './append-erasure.ts'
import type { CausalReads } from './causal-reads.ts'
import { changesToAppend } from './changes-to-append.ts'
import type { Comparison, OrderState } from './order-state.ts'

export type CompareDependencies = {
  /** A client for the change stream, whose reads have a longer limit. */
  readonly watching: Db
  readonly changeEntries: Collection<ChangeEntryDocument>
  readonly erasures: Collection<ErasureDocument>
  readonly state: OrderState
  readonly appendEntries: AppendEntries
  readonly appendErasure: AppendErasure
  readonly reads: CausalReads
  readonly clock: MonotonicClock
}

export type Compare = (begun: Comparison | undefined, hold: Hold) => Promise<Position | undefined>

const perRead = 1_000
const saveEveryMs = 2_000

/**
 * Appends everything that is stored and not in the order: at the first start, and after the position in the change stream was
 * lost. A position is noted first, and the reads are not older, so that what is stored meanwhile is either found or follows in
 * the stream. Returns that position; `undefined` if the work is to stop. Continues a comparison that was begun.
 */
export function createCompare(dependencies: CompareDependencies): Compare {
  const { watching, changeEntries, erasures, state, appendEntries, appendErasure, reads, clock } = dependencies

  return async (begun, hold) => {
    const comparison = begun ?? { position: await currentPosition(watching), after: null }
    const { position } = comparison
    if (begun === undefined) await state.beginComparison(comparison)
    reads.note(timeOf(position))
    let savedAt = clock()
    for await (const entries of readAhead(entriesAfter(comparison.after))) {
      await appendEntries(entries)
      if (clock() - savedAt < saveEveryMs) continue
      if (!(await hold())) return undefined
      await state.saveComparison({ position, after: entries.at(-1)?.key ?? null })
      savedAt = clock()
    }
    for await (const keys of doneErasures()) {
      for (const key of keys) {
        if (!(await hold())) return undefined
        await appendErasure(key)
      }
    }
    await state.endComparison(comparison)
    return position
  }

  async function* entriesAfter(start: Binary | null) {
    const { collectionName: find, db } = changeEntries
    for (let after = start; ; ) {
      const filter = after ? { _id: { $gt: after } } : {}
      const command = { find, filter, sort: { _id: 1 }, limit: perRead, batchSize: perRead, ...readsAfter(reads.time) }
      const { documents, isCut } = await runForBytes(db, command, find)
      const entries = documents.map((stored) => ({ key: readKey(stored), stored }))
      if (entries.length > 0) yield entries
      after = entries.at(-1)?.key ?? null
      if (after === null || (entries.length < perRead && !isCut)) return
    }
  }

  async function* doneErasures(): AsyncGenerator<readonly Binary[], void, void> {
    for (let after: Binary | undefined; ; ) {
      const { documents, isCut } = await reads.find<{ _id: Binary }>(erasures as never, {
        filter: { work: { $exists: false }, ...(after && { _id: { $gt: after } }) },
        ...{ projection: { _id: 1 }, sort: { _id: 1 }, limit: perRead },
      })
      if (documents.length > 0) yield documents.map(({ _id }) => _id)
      after = documents.at(-1)?._id
      if (!isCut || after === undefined) return
    }
  }
}

/** A position that a majority has reached. */
async function currentPosition(database: Db): Promise<Position> {
  const stopping = new AbortController()
  for await (const step of watch(database, { pipeline: changesToAppend, signal: stopping.signal })) {
    if (step.kind !== 'lost') return step.position
  }
  throw new StorageUnavailableError('The change stream has no position')
}
