import type { Collection } from 'mongodb'
import { createFeed, type Feed, type FeedOwner } from './feed.ts'
import { type InsertOutcome, insertNew } from './insert-new.ts'
import { type NewNotification, type NotificationDocument, toNotificationDocuments } from './notification-document.ts'

export type Notifications = {
  /** Stores each for all its recipients; see {@link insertNew}. What is refused comes back as the notification. */
  insertNew(notifications: readonly NewNotification[]): Promise<InsertOutcome<NewNotification>>
  of(owner: FeedOwner): Feed
}

export function createNotifications(collection: Collection<NotificationDocument>): Notifications {
  return {
    async insertNew(notifications) {
      const origins = new Map<NotificationDocument, NewNotification>()
      const documents = notifications.flatMap((notification) => {
        const own = toNotificationDocuments(notification)
        for (const document of own) origins.set(document, notification)
        return own
      })
      const { refused, ...counts } = await insertNew(collection, documents)
      const reasons = new Map(refused.map(({ document, reason }) => [origins.get(document) as NewNotification, reason]))
      return { ...counts, refused: [...reasons].map(([document, reason]) => ({ document, reason })) }
    },
    of: (owner) => createFeed(collection, [owner.subscriberId, owner.recipientId]),
  }
}
