import { RecordTooLarge } from '@herald/kafka'
import { backoffMs, createLeasedWorker, type LeaseDependencies, type LeasedWorker, type Logger } from '@herald/runtime'
import type { Announcements, Digests, DueBatch } from '@herald/store'
import type { AnnouncementPublisher } from '../produce/announcement-publisher.ts'

export type AnnouncementRelayDependencies = LeaseDependencies & {
  readonly announcements: Pick<Announcements, 'isDue' | 'next'>
  readonly digests: Digests
  readonly publisher: Pick<AnnouncementPublisher, 'publish'>
  readonly logger: Pick<Logger, 'warn' | 'error'>
  readonly unreadAfterMs?: number | undefined
  readonly everyMs?: number
}

const timeoutMs = 5_000
const pauses = { minPauseMs: 1_000, maxPauseMs: 15_000 } as const
const tooLargeMs = 10 * 60 * 1_000

/**
 * Announces everything that the handling of events could not: notifications of requests, retractions, unread
 * notifications, and all that was stored while the topic was unavailable.
 */
export function createAnnouncementRelay(dependencies: AnnouncementRelayDependencies): LeasedWorker {
  const { announcements, digests, publisher, now, logger, unreadAfterMs } = dependencies
  const { everyMs = 1_000 } = dependencies
  const isUnreadDue = async () => unreadAfterMs !== undefined && (await digests.isDue(now()))

  /** Does not depend on the topic: a digest contains what is unread when it is due. */
  const writeDigests = async (hold: () => Promise<boolean>): Promise<void> => {
    if (unreadAfterMs === undefined || !(await digests.isDue(now()))) return
    while ((await hold()) && (await digests.writeNext(now(), unreadAfterMs, hold)) > 0);
  }

  const publish = async ({ items, settle, postpone }: DueBatch): Promise<void> => {
    try {
      await publisher.publish(items, timeoutMs)
    } catch (err) {
      if (!(err instanceof RecordTooLarge)) throw err
      const [only] = items
      if (items.length > 1) {
        for (const item of items) await publish({ items: [item], settle, postpone })
      } else if (only) {
        logger.error({ err }, 'The topic rejects an announcement for its size, retrying in 10 minutes')
        await postpone([only], new Date(now().getTime() + tooLargeMs))
      }
      return
    }
    await settle(items)
  }

  const publishAll = async (hold: () => Promise<boolean>): Promise<void> => {
    while (await hold()) {
      const batches = await announcements.next(now())
      if (batches.length === 0) return
      for (const batch of batches) await publish(batch)
    }
  }

  return createLeasedWorker(dependencies, {
    lease: 'announcements',
    leaseMs: 30_000,
    async work(hold) {
      if (!(await isUnreadDue()) && !(await announcements.isDue(now()))) return
      await writeDigests(hold)
      await publishAll(hold)
    },
    onFailure(err, failures) {
      if (failures === 1) logger.warn({ err }, 'Could not announce what is due, retrying')
    },
    pauseMs: (failures) => (failures === 0 ? everyMs : backoffMs(failures - 1, pauses)),
  })
}
