import { operations } from '@herald/contracts'
import { type HttpServer, type Identity, problem, routeOptions } from '@herald/runtime'
import type { Feed, Notifications } from '@herald/store'

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
    return reply.type(json).send(await feedOf(identity).list({ ...filters, before: cursor }))
  })

  const found = (body: Buffer | null): Buffer => {
    // The same response for notifications that never existed, are deleted, or belong to another user.
    if (body === null) throw problem('not_found', 'Notification not found')
    return body
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
      reply.type(json).send(found(await feedOf(identity).get(params.notificationId))),
  )
  app.patch(
    '/notifications/:notificationId/read',
    routeOptions(operations.markNotificationRead),
    async ({ identity, params }, reply) =>
      reply.type(json).send(found(await feedOf(identity).markRead(params.notificationId, clock()))),
  )
  app.patch(
    '/notifications/:notificationId/unread',
    routeOptions(operations.markNotificationUnread),
    async ({ identity, params }, reply) =>
      reply.type(json).send(found(await feedOf(identity).markUnread(params.notificationId, clock()))),
  )
}
