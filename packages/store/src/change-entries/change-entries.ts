import { setImmediate } from 'node:timers/promises'
import { limits } from '@herald/contracts'
import { toUuidBinary } from '../binary.ts'
import { type InsertOutcome, insertNew } from '../insert-new.ts'
import type { Source } from '../reading/find-bytes.ts'
import { type IdRange, keyRange } from '../reading/id-range.ts'
import { answerBytes, type ReadingRoom } from '../reading/reading-room.ts'
import {
  type Candidate,
  continueAfter,
  examineNext,
  findPage,
  isPlain,
  type PageBytes,
  readCandidates,
  type Scan,
  scanNext,
} from '../reading/walk.ts'
import { type ChangeEntryDocument, type StoredChangeEntry, toChangeEntryDocument } from './change-entry-document.ts'

/** Filters of a change log, which is read newest first. */
export type ChangeLogQuery = IdRange & {
  readonly entityType?: string | undefined
  readonly entityId?: string | undefined
  readonly userId?: string | undefined
  readonly actionType?: string | undefined
  readonly changedField?: string | undefined
}

/** The change log of one subscriber. */
export type ChangeLog = {
  /**
   * Every matching entry, as the bytes of its document (see {@link changeEntryPlaces}), in steps of at most `step`
   * entries and about 1 MiB. Each step is its own query: a slow reader holds no cursor open, and entries recorded
   * meanwhile are newer than the position reached.
   */
  allBytes(query: ChangeLogQuery, step?: number): AsyncGenerator<readonly Buffer[], void, void>
  /** A page may be short and still have a next one: see {@link findPage}. */
  listBytes(query: ChangeLogQuery, limit: number): Promise<PageBytes>
}

export type ChangeEntries = {
  /** See {@link insertNew}. */
  insertNew(entries: readonly StoredChangeEntry[]): Promise<InsertOutcome<StoredChangeEntry>>
  of(subscriberId: string): ChangeLog
}

export type ChangeEntriesDependencies = Source<ChangeEntryDocument> & { readonly room: ReadingRoom }

export function createChangeEntries({ database, collection, room }: ChangeEntriesDependencies): ChangeEntries {
  const source = { database, collection }
  return {
    async insertNew(entries) {
      const documents = entries.map(toChangeEntryDocument)
      const { refused, ...counts } = await insertNew(collection, documents)
      const entryOf = (document: ChangeEntryDocument) => entries[documents.indexOf(document)] as StoredChangeEntry
      return { ...counts, refused: refused.map(({ document, reason }) => ({ document: entryOf(document), reason })) }
    },
    of: (subscriberId) => ({
      allBytes: (query, step) => readAll({ source, room, scan: toScan(subscriberId, query), step }),
      listBytes(query, limit) {
        const scan = toScan(subscriberId, query)
        return room.within(answerSize(scan, limit + 1), () => findPage(source, scan, limit))
      },
    }),
  }
}

/** An entry comes from an event of at most 1 MiB, and its ids are shorter as bytes. */
const maxEntryBytes = limits.eventBytes
/** With a filter, MongoDB sends at most twice the bytes of a page: small documents at once, large ones by key. */
const filteredBytes = 2 * limits.pageBytes

function answerSize({ filter }: Scan<ChangeEntryDocument>, count: number): number {
  return isPlain(filter) ? Math.min(answerBytes, count * maxEntryBytes) : filteredBytes
}

const stepBytes = 1024 * 1024
/** Small, because the size of the entries is not known yet. */
const firstStepEntries = 4
const stepGrowth = 8
/** Larger entries that match a filter are read by key. */
const smallEntryBytes = 2 * 1024

type LogRead = {
  readonly source: Source<ChangeEntryDocument>
  readonly room: ReadingRoom
  readonly scan: Scan<ChangeEntryDocument>
  readonly step?: number | undefined
}

function readAll(log: LogRead): AsyncGenerator<readonly Buffer[], void, void> {
  return isPlain(log.scan.filter) ? readPlain(log) : readFiltered(log)
}

/** Prevents an unhandled rejection while the reader is busy; the rejection is thrown when the promise is awaited. */
function prefetch<Result>(pending: Promise<Result>): Promise<Result> {
  pending.catch(() => {})
  return pending
}

/** Reads one step ahead, so that MongoDB and the reader do not wait for each other. */
async function* readPlain({ source, room, scan: first, step = limits.examinedPerStep }: LogRead) {
  let count = Math.min(step, firstStepEntries)
  const request = (scan: Scan<ChangeEntryDocument>) => {
    const bounds = { count, bytes: stepBytes, atLeastOne: true }
    return prefetch(room.within(answerSize(scan, count), () => scanNext(source, scan, bounds)))
  }
  for (let pending = request(first); ; ) {
    const { found, end } = await pending
    if (end !== null) {
      count = nextCount(count, found, step)
      pending = request(continueAfter(first, end))
      // Lets the driver send the command before the reader blocks the event loop.
      await setImmediate()
    }
    if (found.length > 0) yield found
    if (end === null) return
  }
}

/** Examines each entry once and reads the matches in groups of about 1 MiB. */
async function* readFiltered({ source, room, scan: first, step = limits.examinedPerStep }: LogRead) {
  const request = (scan: Scan<ChangeEntryDocument>) =>
    prefetch(
      room.within(step * smallEntryBytes, () =>
        examineNext(source, scan, { count: step, smallBytes: smallEntryBytes }),
      ),
    )
  for (let pending = request(first); ; ) {
    const { candidates, end } = await pending
    if (end !== null) {
      pending = request(continueAfter(first, end))
      await setImmediate()
    }
    for (const group of groupsOf(candidates)) {
      const found = await room.within(stepBytes, () => readCandidates(source, first, group))
      if (found.length > 0) yield found
    }
    if (end === null) return
  }
}

function* groupsOf(candidates: readonly Candidate[]): Generator<readonly Candidate[]> {
  let start = 0
  let bytes = 0
  for (const [index, { size }] of candidates.entries()) {
    if (index > start && bytes + size > stepBytes) {
      yield candidates.slice(start, index)
      start = index
      bytes = 0
    }
    bytes += size
  }
  if (start < candidates.length) yield candidates.slice(start)
}

/** The number of entries that fill a step if they are as large as the previous ones. */
function nextCount(count: number, found: readonly Buffer[], step: number): number {
  if (found.length === 0) return count
  const bytes = found.reduce((sum, document) => sum + document.length, 0)
  const fitting = Math.floor((stepBytes * found.length) / bytes)
  return Math.max(1, Math.min(step, count * stepGrowth, fitting))
}

/** Filters by entity or user are ranges of an index; every other filter is applied to each entry. */
function toScan(subscriberId: string, query: ChangeLogQuery): Scan<ChangeEntryDocument> {
  const { entityId, userId, entityType, actionType, changedField } = query
  const range = { _id: keyRange([subscriberId], query) }
  const entity = entityId === undefined ? {} : { entityId }
  const user = userId === undefined ? {} : { userId: toUuidBinary(userId) }
  const filter = {
    // The index by entity is more selective than the one by user.
    ...(entityId === undefined ? {} : user),
    ...(entityType === undefined ? {} : { entityType }),
    ...(actionType === undefined ? {} : { actionType }),
    ...(changedField === undefined ? {} : { changedField }),
  }
  return { indexed: { ...range, ...(entityId === undefined ? user : entity) }, filter }
}
