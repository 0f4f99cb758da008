import { type Counts, type FeedOwner, ownerKey as keyOf } from '@herald/feed'
import { type Budget, type Logger, systemClock, takeOrThrow } from '@herald/runtime'
import type { Position, Store } from '@herald/store'
import { type ChangeStep, createAudience } from './audience.ts'
import { createCatchUp } from './catch-up.ts'
import { createStreamClient, type Sink, type StreamClient } from './client.ts'
import { createErasureFence } from './erasure-fence.ts'
import { type ResetReason, resetEvent } from './event-format.ts'
import { createEventIds } from './event-id.ts'
import { createLastErasures } from './last-erasures.ts'
import { isUpTo } from './lateness.ts'
import { createLiveFeed } from './live-feed.ts'
import { createMaskedFeeds } from './masked-feeds.ts'
import type { EndReason, StreamMetrics } from './metrics.ts'
import { type StreamOptions, streamDefaults } from './options.ts'
import { createStreamKey } from './stream-key.ts'
import { createUnreadCounts } from './unread-counts.ts'
import { createWaitingBytes } from './waiting-bytes.ts'

export type StreamsDependencies = {
  readonly store: Pick<Store, 'feedChanges' | 'streamKeys' | 'erasures' | 'behindMs'>
  readonly countUnread: (owner: FeedOwner) => Promise<Counts>
  readonly logger: Logger
  readonly metrics: StreamMetrics
  readonly clock: () => Date
  readonly storage: Pick<Budget, 'within'>
  /** Open streams, and the bytes that wait for their readers. */
  readonly slots: Budget
  readonly bytes: Budget
  readonly options?: Partial<StreamOptions> | undefined
}

export type StreamRequest = {
  readonly sink: Sink
  readonly lastEventId: string | undefined
  readonly expiresAt: Date
}

/** Exactly one of the two must be called: `enter` opens the stream synchronously, `leave` releases its slot. */
export type Admission = { readonly enter: (request: StreamRequest) => void; readonly leave: () => void }

/** The streams of this process, which share one change stream. */
export function createStreams(dependencies: StreamsDependencies) {
  const { store, logger, metrics, clock, storage, slots } = dependencies
  const options: StreamOptions = { ...streamDefaults, ...dependencies.options }
  const now = () => clock().getTime()
  const clients = new Set<StreamClient>()
  const waitingBytes = createWaitingBytes(dependencies.bytes)
  const listeners = createAudience({
    decode,
    heldMs: options.bulkMarkHeldMs,
    onTimeout(recipients) {
      for (const client of recipients) counts.request(client)
    },
    onMasked: (concerned) => maskedFeeds.add(concerned),
  })
  const maskedFeeds = createMaskedFeeds({
    isListener: listeners.has,
    reset: (client) => reset(client, 'erased'),
    options,
  })
  const lastErasures = createLastErasures(store.erasures.lastErasedAt)
  const fence = createErasureFence({ listeners, lastErasures, reset: (client) => reset(client, 'erased') })
  const streamKey = createStreamKey({
    get: store.streamKeys.get,
    everyMs: options.keyMs,
    isUsed: () => clients.size > 0,
    onChanged: resetAll,
  })
  let idleTimer: NodeJS.Timeout | undefined
  let closing = false

  const counts = createUnreadCounts({ count: dependencies.countUnread, logger, options, now: () => performance.now() })
  const live = createLiveFeed({
    watch: watchFor('live'),
    onLate: fence.check,
    onMoved: fence.pass,
    onChange(step) {
      const recipients = listeners.dispatch(step)
      for (const client of recipients) counts.request(client)
      return recipients.length > 0
    },
    onLost() {
      for (const client of listeners.members()) reset(client, 'too-old')
    },
    logger,
    now,
    behindMs: store.behindMs,
    options,
  })
  const newCatchUp = () =>
    createCatchUp({
      watch: watchFor('catch-up'),
      livePosition: () => live.position,
      onCaughtUp: resume,
      onLost: (client) => reset(client, 'too-old'),
      lastErasures,
      onErased: (client) => reset(client, 'erased'),
      decode,
      logger,
      options,
    })
  // Clients that were away for long have a catch-up of their own: all changes since then are scanned, and others would wait for that.
  const longAway = newCatchUp()
  const shortlyAway = newCatchUp()

  metrics.observeLag(() => {
    return live.position === undefined ? 0 : store.behindMs(live.position) / 1_000
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
    client.send(resetEvent(reason), live.position ?? client.position)
    counts.request(client, { soon: true })
  }

  /** The database is another one: what a client has seen may not be there, and positions of before mean nothing. */
  function resetAll(key: Buffer): void {
    for (const client of clients) {
      longAway.remove(client)
      shortlyAway.remove(client)
      client.useIds(createEventIds(key, client.ownerKey))
      reset(client, 'restored')
    }
  }

  function reached(client: StreamClient): Position | undefined {
    if (!listeners.has(client)) return undefined
    if (listeners.hasHeldMark(client.ownerKey)) return client.position
    const { position } = live
    return position !== undefined && position > client.position ? position : client.position
  }

  function onEnd(client: StreamClient, reason: EndReason): void {
    listeners.delete(client)
    fence.forget(client)
    maskedFeeds.forget(client)
    longAway.remove(client)
    shortlyAway.remove(client)
    waitingBytes.forget(client)
    clients.delete(client)
    metrics.countEnd(reason)
    if (reason === 'too-slow') logger.warn({ ...client.owner }, 'Stream closed because its reader is too slow')
    if (clients.size === 0) closeWhenIdle()
  }

  function closeWhenIdle(): void {
    clearTimeout(idleTimer)
    idleTimer = setTimeout(() => clients.size > 0 || void live.close(), options.lingerMs).unref()
  }

  function enter(
    { key, owner, erasedAt }: { key: Buffer; owner: FeedOwner; erasedAt: Position | undefined },
    leave: () => void,
    { sink, lastEventId, expiresAt }: StreamRequest,
  ): void {
    const ownerKey = keyOf(owner)
    // It may have changed since the client was admitted.
    const ids = createEventIds(streamKey.known ?? key, ownerKey)
    const resumed = lastEventId === undefined ? undefined : ids.open(lastEventId)
    const position = resumed ?? live.position ?? ''
    const client = createStreamClient({
      sink,
      owner,
      ownerKey,
      ids,
      expiresAt,
      position,
      options,
      metrics,
      now: () => systemClock().getTime(),
      reached,
      onChange: waitingBytes.onChange,
      onEnd(ended, reason) {
        leave()
        onEnd(ended, reason)
      },
    })
    clients.add(client)
    metrics.countOpen()
    client.start()
    if (closing) client.close()
    else if (lastEventId === undefined) goLive(client)
    else if (resumed === undefined) reset(client, 'unknown-id')
    else if (isUpTo(resumed, now() - options.maxResumeMs)) reset(client, 'too-old')
    // A change before an erasure may contain a person erased since.
    else if (erasedAt !== undefined && resumed <= erasedAt) reset(client, 'erased')
    else if (live.position !== undefined && resumed >= live.position) resume(client)
    else (isUpTo(resumed, now() - options.shortlyAwayMs) ? longAway : shortlyAway).add(client)
  }

  return {
    /**
     * Prepares a stream; the returned `enter` opens it synchronously. `resumes`: whether it may have a position.
     *
     * @throws StorageUnavailableError, or OverBudget if too many are open
     */
    async admit(owner: FeedOwner, { resumes = true } = {}): Promise<Admission> {
      // Counted before the first `await`: otherwise many concurrent requests would pass the limit.
      const user = { subscriberId: owner.subscriberId, userId: owner.recipientId }
      const leave = takeOrThrow(slots, user, 1)
      try {
        const [key, erased] = await Promise.all([
          streamKey.load(),
          resumes ? storage.within(user, 1, () => store.erasures.lastErasedAt([owner.subscriberId])) : undefined,
        ])
        const erasedAt = erased?.get(owner.subscriberId)
        if (!closing) {
          closeWhenIdle()
          await live.open()
        }
        return { enter: (request) => enter({ key, owner, erasedAt }, leave, request), leave }
      } catch (error) {
        leave()
        throw error
      }
    },
    /** Ends every stream and rejects new ones. */
    async close(): Promise<void> {
      closing = true
      for (const client of clients) client.close()
      clearTimeout(idleTimer)
      streamKey.close()
      counts.close()
      await Promise.all([live.close(), longAway.close(), shortlyAway.close()])
    },
  }
}

export type Streams = ReturnType<typeof createStreams>
