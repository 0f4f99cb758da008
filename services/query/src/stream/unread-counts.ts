import type { Logger } from '@herald/runtime'
import type { FeedOwner } from '@herald/store'
import type { StreamClient } from './client.ts'
import type { StreamOptions } from './options.ts'
import { backoffMs } from './pause.ts'
import { createSlots } from './slots.ts'

export type UnreadCountsDependencies = {
  readonly count: (owner: FeedOwner) => Promise<number>
  readonly logger: Pick<Logger, 'warn'>
  readonly options: Pick<
    StreamOptions,
    'countDebounceMs' | 'countMaxWaitMs' | 'countsAtOnce' | 'minPauseMs' | 'maxPauseMs'
  >
  readonly now: () => number
}

/** The clients of one owner who are to be told the count. */
type Wanted = {
  readonly clients: Set<StreamClient>
  since: number
  failures: number
  isCounting: boolean
  timer: NodeJS.Timeout | undefined
}

/** Counts an owner's unread once for all his streams, and once for changes that come close together. */
export function createUnreadCounts({ count, logger, options, now }: UnreadCountsDependencies) {
  const owners = new Map<string, Wanted>()
  const inSlot = createSlots(options.countsAtOnce)
  let closed = false

  /** @param soon for a stream that has just begun, and has no count yet */
  function want(client: StreamClient, { soon = false } = {}): void {
    const { ownerKey } = client
    const idle = { clients: new Set<StreamClient>(), since: 0, failures: 0, isCounting: false, timer: undefined }
    const wanted: Wanted = owners.get(ownerKey) ?? idle
    owners.set(ownerKey, wanted)
    if (wanted.clients.size === 0) wanted.since = now()
    wanted.clients.add(client)
    const longest = wanted.since + options.countMaxWaitMs - now()
    schedule(ownerKey, wanted, soon ? 0 : Math.max(0, Math.min(options.countDebounceMs, longest)))
  }

  function schedule(ownerKey: string, wanted: Wanted, milliseconds: number): void {
    // What changes while it is counted may be counted or not: it is counted again afterwards.
    if (wanted.isCounting || closed) return
    clearTimeout(wanted.timer)
    wanted.timer = setTimeout(() => void tell(ownerKey, wanted), milliseconds).unref()
  }

  async function tell(ownerKey: string, wanted: Wanted): Promise<void> {
    const clients = [...wanted.clients].filter(({ ended }) => !ended)
    wanted.clients.clear()
    const [first] = clients
    if (!first) return void owners.delete(ownerKey)
    wanted.isCounting = true
    try {
      const unreadCount = await inSlot(() => count(first.owner))
      for (const client of clients) client.mention({ event: 'unread-count', data: JSON.stringify({ unreadCount }) })
      wanted.failures = 0
    } catch (err) {
      logger.warn({ err, failures: wanted.failures++ }, 'The unread could not be counted; it is tried again')
      for (const client of clients) wanted.clients.add(client)
    }
    wanted.isCounting = false
    if (wanted.clients.size === 0) owners.delete(ownerKey)
    else schedule(ownerKey, wanted, wanted.failures > 0 ? backoffMs(wanted.failures, options) : options.countDebounceMs)
  }

  return {
    want,
    close(): void {
      closed = true
      for (const { timer } of owners.values()) clearTimeout(timer)
    },
  }
}
