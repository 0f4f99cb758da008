import { type ChangeEntryFilters, limits } from '@herald/contracts'
import { findByKeys, hex, lookWithin, type ReadBudgets, readKey, responseBytes, toUuidBinary } from '@herald/mongo'
import type { Filter } from 'mongodb'
import type { ChangeEntryDocument } from '../documents/change-entry-document.ts'
import type { LogSources } from '../documents/collections.ts'
import { changeEntryPageBody } from '../json/change-entry-json.ts'
import { isSameChain, type Place, readCursor, toCursor } from './cursor.ts'
import { createOrderState } from './order-state.ts'
import { createLogReader, type LogReader } from './read-log-pages.ts'

export type RecordedQuery = ChangeEntryFilters & { readonly cursor?: string | undefined; readonly limit: number }

export type RecordedPage =
  | { readonly kind: 'page'; readonly body: Buffer }
  /** No sequencer has run yet. */
  | { readonly kind: 'not-ready' }
  /** Not a cursor of this log. */
  | { readonly kind: 'invalid-cursor' }
  /** The entries behind the cursor were recorded longer ago than documents are kept, or the log is another one by then. */
  | { readonly kind: 'cursor-expired' }

export type RecordedLog = ReturnType<typeof createRecordedLog>

export type RecordedLogDependencies = Pick<LogSources, 'changeEntries' | 'logPages' | 'logState'> & {
  readonly budgets: ReadBudgets
  readonly retentionDays: number | undefined
  readonly now: () => Date
}

type Found = { readonly documents: readonly Buffer[]; readonly end: Place }

/** An entry comes from an event of at most 1 MiB, and its ids are shorter as bytes. */
const maxEntryBytes = limits.eventBytes
const dayMs = 24 * 60 * 60 * 1_000

/** Reads change entries in the recorded order. */
export function createRecordedLog(dependencies: RecordedLogDependencies) {
  const { changeEntries, logPages, logState, budgets, retentionDays, now } = dependencies
  const state = createOrderState(logState)
  const expiredBefore = () =>
    retentionDays === undefined ? undefined : new Date(now().getTime() - retentionDays * dayMs)

  let seen: { readonly position: string | undefined; readonly at: number } = {
    position: undefined,
    at: performance.now(),
  }
  /** How far the order may be behind what is stored, in seconds; `undefined` before a sequencer has run. */
  async function lag(): Promise<number | undefined> {
    const found = await state.readLevel()
    if (!found?.levelAt) return undefined
    // A clock that was set back shows no lag; that the position has not changed for a while shows it all the same.
    if (seen.position !== found.position) seen = { position: found.position, at: performance.now() }
    const sinceLevel = Math.ceil((found.now.getTime() - found.levelAt.getTime()) / 1_000)
    return Math.max(0, sinceLevel, Math.floor((performance.now() - seen.at) / 1_000))
  }

  /** @param userId the user who reads */
  const of = (subscriberId: string, userId = '') => ({
    async read({ cursor, limit, ...filters }: RecordedQuery): Promise<RecordedPage> {
      const given = cursor === undefined ? undefined : readCursor(subscriberId, cursor)
      if (cursor !== undefined && given === undefined) return { kind: 'invalid-cursor' }
      const look = lookWithin(budgets, { subscriberId, userId })
      const lagSeconds = await look(lag)
      if (lagSeconds === undefined) return { kind: 'not-ready' }
      const log = createLogReader(logPages, subscriberId)
      const expired = expiredBefore()
      const from = given?.index ?? (expired ? await look(() => log.firstSince(expired)) : 0)
      const search = { from, given, limit, filter: toFilter(filters), expired }
      let found = await find({ subscriberId, userId }, log, search)
      if (found === 'beyond-end' && (await look(() => log.reaches(from)))) {
        found = await find({ subscriberId, userId }, log, search)
      }
      if (typeof found === 'string') return { kind: 'cursor-expired' }
      const others = { lagSeconds, hasMore: found.end.index < (await look(log.end)) }
      const next = toCursor(subscriberId, found.end)
      return { kind: 'page', body: changeEntryPageBody({ documents: found.documents, next, others }) }
    },
  })

  type Search = {
    readonly from: number
    /** The place that a cursor names, at this index. */
    readonly given: Place | undefined
    readonly limit: number
    readonly filter: Filter<ChangeEntryDocument> | undefined
    readonly expired: Date | undefined
  }

  function find(reader: Parameters<ReadBudgets['bytes']['within']>[0], log: LogReader, search: Search) {
    const { limit, filter } = search
    const read = (part: Parameters<typeof findNext>[1]) =>
      budgets.bytes.within(reader, responseBytes(part.limit, maxEntryBytes), () => findNext(log, part))
    if (filter === undefined) return read({ ...search, count: limit, bytes: limits.pageBytes })
    return budgets.scans.within(reader, 1, async () => {
      const documents: Buffer[] = []
      let end: Place | undefined
      let bytes: number = limits.pageBytes
      for (let examined = 0; examined < limits.examinedPerRequest; examined += limits.examinedPerStep) {
        const from = end?.index ?? search.from
        const part = { ...search, from, limit: limit - documents.length, count: limits.examinedPerStep, bytes }
        const next = await read(end ? { ...part, given: end } : part)
        if (typeof next === 'string') return next
        // The first of a page is taken whatever its size.
        if (documents.length > 0 && next.documents.some(({ length }) => length > bytes)) break
        documents.push(...next.documents.map((document) => Buffer.from(document)))
        bytes -= next.documents.reduce((sum, { length }) => sum + length, 0)
        const isEnd = next.end.index === from
        end = next.end
        if (isEnd || documents.length >= limit || bytes <= 0) break
      }
      return { documents, end: end as Place }
    })
  }

  type Part = Search & { readonly count: number; readonly bytes: number }

  /** Looks at the next `count` entries and returns those that match, at most `limit` of them and about `bytes`. */
  async function findNext(log: LogReader, { from, given, limit, count, filter, bytes, expired }: Part) {
    const { entries, end, recordedAt, chainBefore } = await log.read(from, count)
    const before = chainBefore(from)
    if (before === undefined) return 'beyond-end'
    if (given !== undefined && !isSameChain(before, given)) return 'contradicted'
    const place = (index: number): Place => ({ index, chain: chainBefore(index) ?? before })
    if (expired !== undefined && recordedAt !== undefined && recordedAt < expired) return 'expired'
    const keys = entries.map(({ key }) => key)
    const { documents, isCut } = await findByKeys(changeEntries, {
      keys,
      limit,
      after: log.time,
      ...(filter && { filter }),
    })
    let sum = 0
    const excess = documents.findIndex(({ length }, at) => {
      sum += length
      return at > 0 && sum > bytes
    })
    const taken = excess === -1 ? documents : documents.slice(0, excess)
    const last = taken.at(-1)
    // Otherwise everything was looked at, and what was not found is gone or does not match.
    const isPart =
      last !== undefined && (isCut || excess !== -1 || (taken.length === limit && taken.length < keys.length))
    if (!isPart) return { documents: taken, end: place(end) } satisfies Found
    const lastKey = hex(readKey(last))
    const at = entries.find(({ key }) => hex(key) === lastKey)
    return { documents: taken, end: place((at?.index ?? end) + 1) } satisfies Found
  }

  return { of, lag }
}

function toFilter(filters: ChangeEntryFilters): Filter<ChangeEntryDocument> | undefined {
  const { userId, createdFrom, createdTo, ...texts } = filters
  const given = Object.entries(texts).filter(([, text]) => text !== undefined)
  const createdAt = {
    ...(createdFrom === undefined ? {} : { $gte: new Date(createdFrom) }),
    ...(createdTo === undefined ? {} : { $lt: new Date(createdTo) }),
  }
  const filter = {
    ...Object.fromEntries(given),
    ...(userId === undefined ? {} : { userId: toUuidBinary(userId) }),
    ...(Object.keys(createdAt).length === 0 ? {} : { createdAt }),
  }
  return Object.keys(filter).length === 0 ? undefined : (filter as Filter<ChangeEntryDocument>)
}
