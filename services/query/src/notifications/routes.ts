import { operations } from '@herald/contracts'
import { type HttpServer, type Identity, problem, routeOptions } from '@herald/runtime'
import type { Feed, Notifications, StoredNotification } from '@herald/store'
import { notificationJson } from './notification-json.ts'
import { pageJson } from './page-json.ts'

export type NotificationRoutesDependencies = {
  readonly notifications: Pick<Notifications, 'of'>
  readonly clock: () => Date
}

const json = 'application/json; charset=utf-8'

/** Serves the feed of the current user: list, count, single notifications and marks (specification 4.2 and 4.3). */
export function addNotificationRoutes(app: HttpServer, { notifications, clock }: NotificationRoutesDependencies): void {
  const feedOf = ({ subscriberId, userId }: Identity): Feed => notifications.of({ subscriberId, recipientId: userId })

  app.get('/', routeOptions(operations.listNotifications), async ({ identity, query }, reply) => {
    const { cursor, ...filters } = query
    const { documents, next } = await feedOf(identity).listBytes({ ...filters, before: cursor })
    return reply.type(json).send(pageJson(documents, identity.subscriberId, next))
  })

  const one = (notification: StoredNotification | null): string => {
    // The same response for notifications that never existed, are deleted, or belong to another user.
    if (notification === null) throw problem('not_found', 'Notification not found')
    return `{"data":${notificationJson(notification)}}`
  }

  app.get('/notifications/unread-count', routeOptions(operations.countUnreadNotifications), async ({ identity }) => ({
    data: { unreadCount: await feedOf(identity).unreadCount() },
  }))

  app.post(
    '/notifications/read',
    routeOptions(operations.markNotificationsRead),
    async ({ identity, body: { ids, upTo } }) => {
      const feed = feedOf(identity)
      const updated = await feed.markManyRead(ids ? { ids } : { all: true, upTo }, clock())
      return { data: { updated, unreadCount: await feed.unreadCount() } }
    },
  )

  app.get(
    '/notifications/:notificationId',
    routeOptions(operations.getNotification),
    async ({ identity, params }, reply) =>
      reply.type(json).send(one(await feedOf(identity).get(params.notificationId))),
  )
  app.patch(
    '/notifications/:notificationId/read',
    routeOptions(operations.markNotificationRead),
    async ({ identity, params }, reply) =>
      reply.type(json).send(one(await feedOf(identity).markRead(params.notificationId, clock()))),
  )
  app.patch(
    '/notifications/:notificationId/unread',
    routeOptions(operations.markNotificationUnread),
    async ({ identity, params }, reply) =>
      reply.type(json).send(one(await feedOf(identity).markUnread(params.notificationId, clock()))),
  )
}
