import type { Clock, Logger } from '@herald/runtime'
import type { Announcements, NewNotification } from '@herald/store'
import type { AnnouncementPublisher } from './announcement-publisher.ts'

export type AnnounceCreatedDependencies = {
  readonly announcements: Pick<Announcements, 'createdOf' | 'deferCreated'>
  readonly publisher: Pick<AnnouncementPublisher, 'publish' | 'isPaused'>
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn'>
}

/**
 * Announces those of the stored notifications that are not announced yet. If the topic is unavailable, it leaves them to
 * the relay. Throws only if MongoDB is unavailable.
 */
export type AnnounceCreated = (notifications: readonly NewNotification[]) => Promise<void>

/** Short, because events wait for it. */
const timeoutMs = 2_000

export function createAnnounceCreated(dependencies: AnnounceCreatedDependencies): AnnounceCreated {
  const { announcements, publisher, clock, logger } = dependencies
  return async (notifications) => {
    if (publisher.isPaused()) return announcements.deferCreated(notifications, clock())
    const { items, settle } = await announcements.createdOf(notifications)
    if (items.length === 0) return
    try {
      await publisher.publish(
        items.flatMap((item) => item.announcements),
        timeoutMs,
      )
    } catch (err) {
      logger.warn({ err, notifications: items.length }, 'Could not announce notifications, leaving them to the relay')
      return announcements.deferCreated(notifications, clock())
    }
    await settle(items)
  }
}
