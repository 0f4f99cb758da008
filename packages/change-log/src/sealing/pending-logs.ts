import { type MonotonicClock, ownClock } from '@herald/mongo'

/** A log with something new, or one that was sealed within the interval. */
export type PendingLog = {
  /** By the clock of the process, as the other time. */
  dueAt: number
  /** Since when something has been unsealed; `undefined` if nothing is. */
  grownAt: number | undefined
}

/** Some 200 bytes each. */
const defaultMostLogs = 200_000

/** Keeps the logs that have grown. Beyond its bound, the logs must be searched again. */
export function createPendingLogs({
  intervalMs,
  mostLogs = defaultMostLogs,
  clock = ownClock,
}: {
  intervalMs: number
  mostLogs?: number
  clock?: MonotonicClock | undefined
}) {
  const logs = new Map<string, PendingLog>()
  /** Since when a search through all logs is due. */
  let searchDueSince: number | undefined = clock()
  let searchAt = 0
  let requests = 0

  function requestSearch(at = clock()): void {
    requests++
    searchDueSince ??= clock()
    searchAt = Math.min(searchAt, at)
  }

  /** Only if there is room. */
  function add(subscriberId: string, log: PendingLog): void {
    if (logs.has(subscriberId) || logs.size < mostLogs) logs.set(subscriberId, log)
    else requestSearch(clock() + intervalMs)
  }

  return {
    grow(subscriberId: string): void {
      const now = clock()
      const log = logs.get(subscriberId)
      if (log === undefined) add(subscriberId, { dueAt: now, grownAt: now })
      else log.grownAt ??= now
    },
    requestSearch,
    isSearchDue: () => searchDueSince !== undefined && clock() >= searchAt,
    /** Returns what is to be called after a search that was not interrupted. */
    beginSearch(): () => void {
      const begun = requests
      return () => {
        if (requests !== begun) return
        searchDueSince = undefined
        searchAt = Number.POSITIVE_INFINITY
      }
    },
    /** Returns the logs that are due, and forgets logs of which nothing is new after the interval. */
    due(): string[] {
      const now = clock()
      const found: string[] = []
      for (const [subscriberId, { dueAt, grownAt }] of logs) {
        if (dueAt > now) continue
        if (grownAt === undefined) logs.delete(subscriberId)
        else found.push(subscriberId)
      }
      return found
    },
    /** Begins a look at a log: growth from now on is told apart from what the look will find. Returns since when it has grown. */
    begin(subscriberId: string): number | undefined {
      const log = logs.get(subscriberId)
      const grownAt = log?.grownAt
      if (log) log.grownAt = undefined
      return grownAt
    },
    /** Ends it. */
    end(subscriberId: string, { dueAt, grownAt }: PendingLog): void {
      const meanwhile = logs.get(subscriberId)?.grownAt
      const grown = grownAt ?? meanwhile
      if (grown === undefined && dueAt <= clock()) logs.delete(subscriberId)
      else add(subscriberId, { dueAt, grownAt: grown })
    },
    isWaiting: (subscriberId: string) => (logs.get(subscriberId)?.dueAt ?? 0) > clock(),
    clear: () => logs.clear(),
    /** For how long the oldest unsealed leaf of the logs has been unsealed, beyond the interval. */
    lagMs(isCounted: (subscriberId: string) => boolean): number {
      const now = clock()
      let oldest = searchDueSince ?? now
      for (const [subscriberId, { grownAt }] of logs) {
        if (grownAt !== undefined && grownAt < oldest && isCounted(subscriberId)) oldest = grownAt
      }
      return Math.max(0, now - oldest - intervalMs)
    },
  }
}
