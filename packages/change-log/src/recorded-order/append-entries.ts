import { setTimeout as sleep } from 'node:timers/promises'
import { eachAtOnce, hex, type Position, StorageUnavailableError, toIndexKey, uuidIn } from '@herald/mongo'
import { chainOf, type EntryPage, entriesPerPage } from '../documents/log-page-document.ts'
import { fieldsOf, type RecordedLeaf } from './entry-leaf.ts'
import { type LogPages, type Tail, tailAfter } from './log-pages.ts'
import type { EntryToRead, ReadLeaves } from './read-leaves.ts'

/** An entry, and the position of its insert in the change stream if it comes from there. */
type EntryToAppend = EntryToRead & { readonly position?: Position | undefined }

export type AppendEntries = (entries: readonly EntryToAppend[]) => Promise<void>

export type AppendEntriesDependencies = {
  readonly pages: LogPages
  readonly readLeaves: ReadLeaves
  readonly now: () => Date
}

const tailsAtOnce = 16
/** Each refusal means that another process has appended to the same logs. */
const maxAttempts = 200
const pauseMs = 50

type Log = { readonly subscriberId: string; tail: Tail; entries: readonly (EntryToAppend & { leaf: RecordedLeaf })[] }

/**
 * Appends entries to the logs of their subscribers, in this order, without those that are there already. Several processes may
 * append the same ones: a page begins where the log ended when it was read, so only one of them can insert it, and the other
 * looks again. Returns how many this call appended.
 */
export function createAppendEntries({ pages, readLeaves, now }: AppendEntriesDependencies) {
  return async (entries: readonly EntryToAppend[]): Promise<number> => {
    let appended = 0
    let left = entries
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === maxAttempts) throw new StorageUnavailableError(`${left.length} entries could not be appended`)
      if (attempt > 0) await sleep(Math.random() * pauseMs)
      const logs = await findMissing(left)
      const refused = await appendAll(logs, (count) => {
        appended += count
      })
      // They may have changed since they were read.
      left = left.filter(({ key }) => refused.has(uuidIn(key))).map(({ key, position }) => ({ key, position }))
    }
    return appended
  }

  /** Finds the missing entries of each log, with its end as it was before they were looked up. */
  async function findMissing(entries: readonly EntryToAppend[]): Promise<Log[]> {
    const bySubscriber = Map.groupBy(entries, ({ key }) => uuidIn(key))
    const tails = new Map<string, Tail>()
    await eachAtOnce(bySubscriber.keys(), tailsAtOnce, async (subscriberId) => {
      tails.set(subscriberId, await pages.tailOf(subscriberId))
    })
    const isBehind = ({ key, position }: EntryToAppend) =>
      position !== undefined && position <= (tails.get(uuidIn(key))?.position ?? '')
    const candidates = entries.filter((entry) => !isBehind(entry))
    const recorded = await pages.findRecorded(candidates.map(({ key }) => key))
    const missing = new Map<string, EntryToAppend>()
    for (const entry of candidates) {
      const key = hex(entry.key)
      if (!recorded.has(key) && !missing.has(key)) missing.set(key, entry)
    }
    const leaves = await readLeaves([...missing.values()])
    const found = [...missing].flatMap(([key, entry]) => {
      const leaf = leaves.get(key)
      return leaf ? [{ ...entry, leaf }] : []
    })
    const ofLogs = Map.groupBy(found, ({ key }) => uuidIn(key))
    return [...ofLogs].map(([subscriberId, ofLog]) => {
      return { subscriberId, tail: tails.get(subscriberId) as Tail, entries: ofLog }
    })
  }

  /** @returns the subscribers whose log has grown meanwhile */
  async function appendAll(logs: readonly Log[], onAppended: (count: number) => void): Promise<Set<string>> {
    const refused = new Set<string>()
    for (let open = logs; open.length > 0; ) {
      const made = new Map(open.map((log) => [toPage(log), log]))
      const refusedPages = await pages.insert([...made.keys()])
      open = [...made].flatMap(([page, log]) => {
        if (refusedPages.has(page)) {
          refused.add(log.subscriberId)
          return []
        }
        onAppended(page.count)
        const entries = log.entries.slice(page.count)
        return entries.length === 0 ? [] : [{ ...log, tail: tailAfter(page), entries }]
      })
    }
    return refused
  }

  function toPage({ subscriberId, tail, entries }: Log): EntryPage {
    const some = entries.slice(0, entriesPerPage)
    // Entries of a comparison have no position: the log is complete up to the same one as before.
    const position = some.at(-1)?.position ?? tail.position
    const fields = fieldsOf(some.map(({ leaf }) => leaf))
    return {
      _id: toIndexKey(subscriberId, tail.length),
      v: 1,
      first: tail.length,
      count: some.length,
      position,
      recordedAt: now(),
      ...fields,
      chain: chainOf(tail.chain, fields.leafHashes),
    }
  }
}
