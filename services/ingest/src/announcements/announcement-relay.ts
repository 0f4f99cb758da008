import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs, type Clock, type Logger } from '@herald/runtime'
import type { Announcements, Digests, DueBatch, Leases } from '@herald/store'
import { RecordTooLarge } from '../consume/kafka-port.ts'
import type { StorageGate } from '../storage-gate.ts'
import type { AnnouncementPublisher } from './announcement-publisher.ts'

export type AnnouncementRelayDependencies = {
  readonly announcements: Pick<Announcements, 'isDue' | 'next'>
  readonly digests: Digests
  readonly leases: Leases
  readonly publisher: Pick<AnnouncementPublisher, 'publish'>
  readonly gate: Pick<StorageGate, 'isOpen'>
  /** The id of this process. */
  readonly holder: string
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn' | 'error'>
  readonly unreadAfterMs?: number | undefined
  readonly everyMs?: number
}

/**
 * Announces what the handling of events could not: notifications of requests, retractions, unread notifications, and
 * everything that was stored while the topic was unavailable. Every process has a relay; one of them works at a time.
 */
export type AnnouncementRelay = { start(): void; stop(): Promise<void> }

const lease = 'announcements'
const leaseMs = 30_000
const timeoutMs = 5_000
const pauses = { minPauseMs: 1_000, maxPauseMs: 15_000 } as const
const tooLargeMs = 10 * 60 * 1_000

export function createAnnouncementRelay(dependencies: AnnouncementRelayDependencies): AnnouncementRelay {
  const { announcements, digests, leases, publisher, gate, holder, clock, logger, unreadAfterMs } = dependencies
  const { everyMs = 1_000 } = dependencies
  const stopping = new AbortController()
  const { signal } = stopping
  let running = Promise.resolve()

  const hold = async () => !signal.aborted && (await leases.hold(lease, { holder, now: clock(), ms: leaseMs }))
  const isUnreadDue = async () => unreadAfterMs !== undefined && (await digests.isDue(clock()))

  /** Does not depend on the topic: a digest contains what is unread when it is due. */
  const writeDigests = async (): Promise<void> => {
    if (unreadAfterMs === undefined || !(await digests.isDue(clock()))) return
    while ((await hold()) && (await digests.writeNext(clock(), unreadAfterMs)) > 0);
  }

  const publish = async ({ items, settle, postpone }: DueBatch): Promise<void> => {
    try {
      await publisher.publish(
        items.flatMap((item) => item.announcements),
        timeoutMs,
      )
    } catch (err) {
      if (!(err instanceof RecordTooLarge)) throw err
      const [only] = items
      if (items.length > 1) {
        for (const item of items) await publish({ items: [item], settle, postpone })
      } else if (only) {
        logger.error({ err }, 'The topic rejects an announcement for its size, retrying in 10 minutes')
        await postpone([only], new Date(clock().getTime() + tooLargeMs))
      }
      return
    }
    await settle(items)
  }

  const publishAll = async (): Promise<void> => {
    while (await hold()) {
      const batches = await announcements.next(clock())
      if (batches.length === 0) return
      for (const batch of batches) await publish(batch)
    }
  }

  const work = async (): Promise<void> => {
    if (!(await gate.isOpen())) return
    if (!(await isUnreadDue()) && !(await announcements.isDue(clock()))) return
    await writeDigests()
    await publishAll()
  }

  const run = async (): Promise<void> => {
    for (let failures = 0; ; ) {
      try {
        await work()
        failures = 0
      } catch (err) {
        if (failures++ === 0) logger.warn({ err }, 'Could not announce what is due, retrying')
      }
      await sleep(failures === 0 ? everyMs : backoffMs(failures - 1, pauses), undefined, { signal })
    }
  }

  return {
    start() {
      running = run().catch(() => {})
    },
    async stop() {
      stopping.abort()
      await running
      await leases.release(lease, holder).catch(() => {})
    },
  }
}
