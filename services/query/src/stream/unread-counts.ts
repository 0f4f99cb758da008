import type { Counts, FeedOwner } from '@herald/feed'
import { backoffMs, type Logger } from '@herald/runtime'
import type { StreamClient } from './client.ts'
import type { StreamOptions } from './options.ts'

export type UnreadCountsDependencies = {
  readonly count: (owner: FeedOwner) => Promise<Counts>
  readonly logger: Pick<Logger, 'warn'>
  readonly options: Pick<
    StreamOptions,
    'countDebounceMs' | 'countMaxWaitMs' | 'countsAtOnce' | 'countRests' | 'minPauseMs' | 'maxPauseMs'
  >
  readonly now: () => number
}

/** The clients of one owner that wait for a count. */
type PendingCount = {
  readonly clients: Set<StreamClient>
  since: number
  failures: number
  isCounting: boolean
  timer: NodeJS.Timeout | undefined
}

/**
 * Counts an owner's unread notifications once for all of their streams, and once for changes in short succession. Owners take
 * turns if too many are to be counted at once, with rests between; what changes meanwhile is counted in the same turn.
 */
export function createUnreadCounts({ count, logger, options, now }: UnreadCountsDependencies) {
  const owners = new Map<string, PendingCount>()
  /** Owners whose turn comes next. */
  const ready = new Set<string>()
  let countsNow = 0
  let closed = false

  /** @param soon for a new stream, which has no count yet */
  function request(client: StreamClient, { soon = false } = {}): void {
    const { ownerKey } = client
    const idle = { clients: new Set<StreamClient>(), since: 0, failures: 0, isCounting: false, timer: undefined }
    const pending: PendingCount = owners.get(ownerKey) ?? idle
    owners.set(ownerKey, pending)
    if (pending.clients.size === 0) pending.since = now()
    pending.clients.add(client)
    const untilDeadline = pending.since + options.countMaxWaitMs - now()
    schedule(ownerKey, pending, soon ? 0 : Math.max(0, Math.min(options.countDebounceMs, untilDeadline)))
  }

  function schedule(ownerKey: string, pending: PendingCount, milliseconds: number): void {
    // A change during a count may be missed, so it causes another count afterwards.
    if (pending.isCounting || ready.has(ownerKey) || closed) return
    clearTimeout(pending.timer)
    pending.timer = setTimeout(() => {
      ready.add(ownerKey)
      sendNext()
    }, milliseconds).unref()
  }

  function sendNext(): void {
    for (const ownerKey of ready) {
      if (countsNow === options.countsAtOnce || closed) return
      ready.delete(ownerKey)
      const pending = owners.get(ownerKey)
      if (pending === undefined) continue
      countsNow++
      const begunAt = performance.now()
      void sendCount(ownerKey, pending).finally(() => rest(performance.now() - begunAt))
    }
  }

  function rest(tookMs: number): void {
    const restMs = Math.min(options.countRests * tookMs, options.countMaxWaitMs)
    setTimeout(() => {
      countsNow--
      sendNext()
    }, restMs).unref()
  }

  async function sendCount(ownerKey: string, pending: PendingCount): Promise<void> {
    const clients = [...pending.clients].filter(({ ended }) => !ended)
    pending.clients.clear()
    const [first] = clients
    if (!first) return void owners.delete(ownerKey)
    pending.isCounting = true
    try {
      const { unreadCount, unseenCount } = await count(first.owner)
      const data = JSON.stringify({ unreadCount, unseenCount })
      for (const client of clients) client.sendWithoutId({ event: 'unread-count', data })
      pending.failures = 0
    } catch (err) {
      logger.warn({ err, failures: pending.failures++ }, 'Counting unread notifications failed, retrying')
      for (const client of clients) pending.clients.add(client)
    }
    pending.isCounting = false
    if (pending.clients.size === 0) owners.delete(ownerKey)
    else
      schedule(ownerKey, pending, pending.failures > 0 ? backoffMs(pending.failures, options) : options.countDebounceMs)
  }

  return {
    request,
    close(): void {
      closed = true
      for (const { timer } of owners.values()) clearTimeout(timer)
    },
  }
}
