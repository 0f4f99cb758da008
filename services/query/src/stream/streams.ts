import type { Logger } from '@herald/runtime'
import { type FeedOwner, ownerKey as keyOf, type Position, type Store, timeOfPosition } from '@herald/store'
import type { ConcurrencyLimit } from '../concurrency-limit.ts'
import { type ChangeStep, createAudience } from './audience.ts'
import { createCatchUp } from './catch-up.ts'
import { createStreamClient, type Sink, type StreamClient } from './client.ts'
import { createEventIds } from './event-id.ts'
import { createLiveFeed } from './live-feed.ts'
import type { EndReason, StreamMetrics } from './metrics.ts'
import { type StreamOptions, streamDefaults } from './options.ts'
import { createUnreadCounts } from './unread-counts.ts'

export type StreamsDependencies = {
  readonly store: Pick<Store, 'notifications' | 'feedChanges' | 'streamKeys' | 'erasures'>
  readonly logger: Logger
  readonly metrics: StreamMetrics
  readonly clock: () => Date
  readonly limit: ConcurrencyLimit
  readonly options?: Partial<StreamOptions> | undefined
}

/** A request that was admitted. */
export type StreamRequest = {
  readonly sink: Sink
  readonly lastEventId: string | undefined
  readonly expiresAt: Date
}

export type Admission =
  /** Exactly one of the two must be called: `enter` opens the stream synchronously, `leave` releases its slot. */
  | { readonly ok: true; readonly enter: (request: StreamRequest) => void; readonly leave: () => void }
  | { readonly ok: false; readonly reason: 'too-many-streams' }

/** The reason why a client must list again. */
type ResetReason = 'unknown-id' | 'too-old' | 'erased'

/** The streams of this process, which share one change stream. */
export function createStreams({ store, logger, metrics, clock, limit, options: changed }: StreamsDependencies) {
  const options: StreamOptions = { ...streamDefaults, ...changed }
  const now = () => clock().getTime()
  const clients = new Map<string, Set<StreamClient>>()
  const listeners = createAudience({
    decode,
    heldMs: options.bulkMarkHeldMs,
    onTimeout(recipients) {
      for (const client of recipients) counts.request(client)
    },
  })
  let sharedKey: Promise<Buffer> | undefined
  let idleTimer: NodeJS.Timeout | undefined
  let closing = false

  const counts = createUnreadCounts({
    count: (owner) => store.notifications.of(owner).unreadCount(),
    ...{ logger, options, now },
  })
  const live = createLiveFeed({
    watch: watchFor('live'),
    onChange(step) {
      const recipients = listeners.dispatch(step)
      for (const client of recipients) counts.request(client)
      return recipients.some(({ congested }) => congested)
    },
    onLost() {
      for (const client of listeners.members()) reset(client, 'too-old')
    },
    ...{ logger, options },
  })
  const catchUp = createCatchUp({
    watch: watchFor('catch-up'),
    livePosition: () => live.position,
    onCaughtUp: resume,
    onLost: (client) => reset(client, 'too-old'),
    ...{ decode, logger, options },
  })

  metrics.observeLag(() => {
    const reachedAt = live.position === undefined ? undefined : timeOfPosition(live.position)
    return reachedAt === undefined ? 0 : Math.max(0, (now() - reachedAt.getTime()) / 1_000)
  })

  function watchFor(purpose: 'live' | 'catch-up'): Store['feedChanges']['watch'] {
    return (from) => {
      metrics.countWatch(purpose)
      return store.feedChanges.watch(from)
    }
  }

  function decode(step: ChangeStep) {
    try {
      return step.read()
    } catch (err) {
      logger.error({ err }, 'Skipping a change that cannot be decoded')
      return undefined
    }
  }

  /** Subscribes the client to live changes. The heartbeat provides its first id and means that it is up to date. */
  function goLive(client: StreamClient): void {
    if (client.ended) return
    listeners.add(client)
    client.send({ event: 'heartbeat', data: '{}' }, reached(client) ?? client.position)
    counts.request(client, { soon: true })
  }

  function resume(client: StreamClient): void {
    metrics.countCatchUp('resumed')
    goLive(client)
  }

  function reset(client: StreamClient, reason: ResetReason): void {
    if (client.ended) return
    metrics.countCatchUp('reset')
    listeners.add(client)
    client.send({ event: 'reset', data: JSON.stringify({ reason }) }, live.position ?? client.position)
    counts.request(client, { soon: true })
  }

  function reached(client: StreamClient): Position | undefined {
    if (!listeners.has(client)) return undefined
    if (listeners.hasHeldMark(client.ownerKey)) return client.position
    const { position } = live
    return position !== undefined && position > client.position ? position : client.position
  }

  function onEnd(client: StreamClient, reason: EndReason): void {
    listeners.delete(client)
    catchUp.remove(client)
    const own = clients.get(client.ownerKey)
    if (own?.delete(client) && own.size === 0) clients.delete(client.ownerKey)
    metrics.countEnd(reason)
    if (reason === 'too-slow') logger.warn({ ...client.owner }, 'Stream closed because its reader is too slow')
    if (clients.size === 0) closeWhenIdle()
  }

  function closeWhenIdle(): void {
    clearTimeout(idleTimer)
    idleTimer = setTimeout(() => clients.size > 0 || void live.close(), options.lingerMs).unref()
  }

  type Admitted = { readonly key: Buffer; readonly owner: FeedOwner; readonly erasedAt: Date | undefined }

  function enter({ key, owner, erasedAt }: Admitted, leave: () => void, request: StreamRequest): void {
    const { sink, lastEventId, expiresAt } = request
    const ownerKey = keyOf(owner)
    const ids = createEventIds(key, ownerKey)
    const resumed = lastEventId === undefined ? undefined : ids.open(lastEventId)
    const position = resumed ?? live.position ?? ''
    const self = { sink, owner, ownerKey, ids, expiresAt, position }
    const end = (ended: StreamClient, reason: EndReason) => {
      leave()
      onEnd(ended, reason)
    }
    const client = createStreamClient({ ...self, options, metrics, now, reached, onEnd: end })
    const own = clients.get(ownerKey) ?? new Set()
    clients.set(ownerKey, own.add(client))
    metrics.countOpen()
    client.start()
    if (closing) client.close()
    else if (lastEventId === undefined) goLive(client)
    else if (resumed === undefined) reset(client, 'unknown-id')
    else if (isTooOld(resumed)) reset(client, 'too-old')
    else if (isBefore(resumed, erasedAt)) reset(client, 'erased')
    else if (live.position !== undefined && resumed >= live.position) resume(client)
    else catchUp.add(client)
  }

  function loadKey(): Promise<Buffer> {
    sharedKey ??= store.streamKeys.get().catch((error) => {
      sharedKey = undefined
      throw error
    })
    return sharedKey
  }

  function isTooOld(position: Position): boolean {
    const at = timeOfPosition(position)
    return at !== undefined && at.getTime() < now() - options.maxResumeMs
  }

  return {
    /**
     * Prepares a stream; the returned `enter` opens it synchronously. `resumes`: whether it may have a position.
     *
     * @throws StorageUnavailableError
     */
    async admit(owner: FeedOwner, { resumes = true } = {}): Promise<Admission> {
      // Counted before the first `await`: otherwise many concurrent requests would pass the limit.
      const leave = limit.enter(keyOf(owner))
      if (leave === undefined) return { ok: false, reason: 'too-many-streams' }
      try {
        const [key, erasedAt] = await Promise.all([
          loadKey(),
          resumes ? store.erasures.lastErasedAt(owner.subscriberId) : undefined,
        ])
        if (!closing) {
          closeWhenIdle()
          await live.open()
        }
        return { ok: true, enter: (request) => enter({ key, owner, erasedAt }, leave, request), leave }
      } catch (error) {
        leave()
        throw error
      }
    },
    /** Ends every stream and rejects new ones. */
    async close(): Promise<void> {
      closing = true
      clearTimeout(idleTimer)
      for (const client of [...clients.values()].flatMap((own) => [...own])) client.close()
      clearTimeout(idleTimer)
      counts.close()
      await Promise.all([live.close(), catchUp.close()])
    },
  }
}

export type Streams = ReturnType<typeof createStreams>

/**
 * Changes before an erasure may contain persons that were erased since. A position has the seconds of MongoDB's clock, by which
 * the time of the erasure is, too.
 */
function isBefore(position: Position, erasedAt: Date | undefined): boolean {
  const at = timeOfPosition(position)
  return erasedAt !== undefined && at !== undefined && at <= erasedAt
}
