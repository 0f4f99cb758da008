import { setImmediate } from 'node:timers/promises'
import { limits } from '@herald/contracts'
import { toUuidBinary } from './binary.ts'
import { type ChangeEntryDocument, type StoredChangeEntry, toChangeEntryDocument } from './change-entry-document.ts'
import type { Source } from './find-bytes.ts'
import { type IdRange, keyRange } from './id-range.ts'
import { type InsertOutcome, insertNew } from './insert-new.ts'
import { answerBytes, type ReadingRoom } from './reading-room.ts'
import {
  beyond,
  type Candidate,
  examineNext,
  findAmongNext,
  findPage,
  isPlain,
  type PageBytes,
  readCandidates,
  type Wanted,
} from './walk.ts'

/** What is wanted of a change log, newest first. */
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
   * Every entry that is wanted, in steps of at most `step` entries and about 1 MiB. Each step is a query of its own, so that
   * a slow reader holds no cursor open, and entries recorded meanwhile are newer than the position of the reading.
   * An entry is the bytes of its document: see {@link changeEntryPlaces}.
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
      allBytes: (query, step) => readAll({ source, room, wanted: toWanted(subscriberId, query), step }),
      listBytes(query, limit) {
        const wanted = toWanted(subscriberId, query)
        return room.within(answerSize(wanted, limit + 1), () => findPage(source, wanted, limit))
      },
    }),
  }
}

/** An entry comes from an event of at most 1 MiB, whose ids are shorter as bytes. */
const largestEntry = limits.eventBytes
/** Of the documents that pass a filter MongoDB sends twice the page's bytes at most: small ones at once, large ones by key. */
const filteredBytes = 2 * limits.pageBytes

function answerSize({ filter }: Wanted<ChangeEntryDocument>, count: number): number {
  return isPlain(filter) ? Math.min(answerBytes, count * largestEntry) : filteredBytes
}

const stepBytes = 1024 * 1024
/** The size of entries is not known yet: the first step is small. */
const firstStep = 4
const stepGrowth = 8
/** Larger entries that pass a filter are read by key. */
const smallEntry = 2 * 1024

type WholeLog = {
  readonly source: Source<ChangeEntryDocument>
  readonly room: ReadingRoom
  readonly wanted: Wanted<ChangeEntryDocument>
  readonly step?: number | undefined
}

function readAll(log: WholeLog): AsyncGenerator<readonly Buffer[], void, void> {
  return isPlain(log.wanted.filter) ? readPlain(log) : readFiltered(log)
}

/** A promise that may fail while the reader is still busy with the step before, and throws when it is awaited. */
function ahead<Result>(asked: Promise<Result>): Promise<Result> {
  asked.catch(() => {})
  return asked
}

/** Reads one step ahead, so that MongoDB and the reader do not wait for each other. */
async function* readPlain({ source, room, wanted: first, step = limits.examinedPerStep }: WholeLog) {
  let count = Math.min(step, firstStep)
  const ask = (wanted: Wanted<ChangeEntryDocument>) => {
    const bounds = { count, bytes: stepBytes, atLeastOne: true }
    return ahead(room.within(answerSize(wanted, count), () => findAmongNext(source, wanted, bounds)))
  }
  for (let asked = ask(first); ; ) {
    const { found, end } = await asked
    if (end !== null) {
      count = nextCount(count, found, step)
      asked = ask(beyond(first, end))
      // The driver sends with the next turn of the event loop, and the reader may keep the thread busy.
      await setImmediate()
    }
    if (found.length > 0) yield found
    if (end === null) return
  }
}

/** The same with a filter: what passed it is read in groups of about 1 MiB, so that nothing is looked at twice. */
async function* readFiltered({ source, room, wanted: first, step = limits.examinedPerStep }: WholeLog) {
  const ask = (wanted: Wanted<ChangeEntryDocument>) =>
    ahead(room.within(step * smallEntry, () => examineNext(source, wanted, { count: step, smallBytes: smallEntry })))
  for (let asked = ask(first); ; ) {
    const { candidates, end } = await asked
    if (end !== null) {
      asked = ask(beyond(first, end))
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

/** As many entries as have the bytes of a step, if they are as large as the last ones. */
function nextCount(count: number, found: readonly Buffer[], step: number): number {
  if (found.length === 0) return count
  const bytes = found.reduce((sum, document) => sum + document.length, 0)
  const fitting = Math.floor((stepBytes * found.length) / bytes)
  return Math.max(1, Math.min(step, count * stepGrowth, fitting))
}

/** One entity's and one user's entries are ranges of an index; every other filter is asked of each entry. */
function toWanted(subscriberId: string, query: ChangeLogQuery): Wanted<ChangeEntryDocument> {
  const { entityId, userId, entityType, actionType, changedField } = query
  const range = { _id: keyRange([subscriberId], query) }
  const entity = entityId === undefined ? {} : { entityId }
  const user = userId === undefined ? {} : { userId: toUuidBinary(userId) }
  const filter = {
    // Of the two indexes the entity's narrows further.
    ...(entityId === undefined ? {} : user),
    ...(entityType === undefined ? {} : { entityType }),
    ...(actionType === undefined ? {} : { actionType }),
    ...(changedField === undefined ? {} : { changedField }),
  }
  return { indexed: { ...range, ...(entityId === undefined ? user : entity) }, filter }
}
