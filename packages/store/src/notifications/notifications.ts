import type { InsertForRecipients, StoreNotifications } from '../fan-outs/fan-out-notifications.ts'
import { insertNew } from '../insert-new.ts'
import { createFeed, type Feed, type FeedDependencies, type FeedOwner } from './feed.ts'
import {
  idsIn,
  type NewNotification,
  type NotificationDocument,
  toNotificationDocuments,
} from './notification-document.ts'

export type Notifications = {
  /**
   * Stores each notification for all its recipients; see {@link insertNew}. Refused ones are returned as notifications.
   * Leaves out what was retracted, and persons who were erased.
   */
  readonly insertNew: StoreNotifications
  of(owner: FeedOwner): Feed
}

/** A generator, because a few events may have a hundred thousand recipients together. */
function* documentsOf(notifications: readonly NewNotification[]): Generator<NotificationDocument> {
  for (const notification of notifications) yield* toNotificationDocuments(notification)
}

/** Stores without fan-outs; see `createFanOutNotifications`. */
export function createNotifications(
  dependencies: FeedDependencies,
): Pick<Notifications, 'of'> & { readonly insertNew: InsertForRecipients } {
  return {
    async insertNew(notifications) {
      const { refused, ...counts } = await insertNew(dependencies.collection, documentsOf(notifications))
      if (refused.length === 0) return { ...counts, refused: [] }
      const origins = new Map(notifications.map((notification) => [originOf(notification), notification]))
      const reasons = new Map(refused.map(({ document, reason }) => [origins.get(originIn(document)), reason]))
      return {
        ...counts,
        refused: [...reasons].map(([document, reason]) => ({ document: document as NewNotification, reason })),
      }
    },
    of: (owner) => createFeed(dependencies, owner),
  }
}

const originOf = ({ subscriberId, id }: NewNotification) => subscriberId + id

function originIn({ _id }: NotificationDocument): string {
  const { id, subscriberId } = idsIn(_id)
  return subscriberId + id
}
