import { listNotificationsQuerySchema, markReadSchema, notificationParamsSchema } from '@herald/contracts'
import { type HttpServer, type Identity, problem } from '@herald/runtime'
import type { Feed, Notifications, StoredNotification } from '@herald/store'
import { notificationJson } from './notification-json.ts'

export type NotificationRoutesDependencies = {
  readonly notifications: Pick<Notifications, 'of'>
  readonly clock: () => Date
}

const json = 'application/json; charset=utf-8'

/** The current user's feed: list, count, one, marks (specification 4.2 and 4.3). */
export function addNotificationRoutes(app: HttpServer, { notifications, clock }: NotificationRoutesDependencies): void {
  const feedOf = ({ subscriberId, userId }: Identity): Feed => notifications.of({ subscriberId, recipientId: userId })

  app.get(
    '/',
    { config: { etag: true }, schema: { querystring: listNotificationsQuerySchema } },
    async ({ identity, query }, reply) => {
      const { cursor, ...filters } = query
      const { notifications: page, next } = await feedOf(identity).list({ ...filters, before: cursor })
      const items = page.map(notificationJson).join(',')
      return reply.type(json).send(`{"data":{"notifications":[${items}],"nextCursor":${JSON.stringify(next)}}}`)
    },
  )

  const one = (notification: StoredNotification | null): string => {
    // The same answer whether it never was, is gone, or is somebody else's.
    if (notification === null) throw problem('not_found', 'There is no such notification')
    return `{"data":${notificationJson(notification)}}`
  }

  app.get('/notifications/unread-count', { config: { etag: true } }, async ({ identity }) => ({
    data: { unreadCount: await feedOf(identity).unreadCount() },
  }))

  app.post('/notifications/read', { schema: { body: markReadSchema } }, async ({ identity, body: { ids, upTo } }) => {
    const feed = feedOf(identity)
    const updated = await feed.markManyRead(ids ? { ids } : { all: true, upTo }, clock())
    return { data: { updated, unreadCount: await feed.unreadCount() } }
  })

  const options = { schema: { params: notificationParamsSchema } }

  app.get('/notifications/:notificationId', options, async ({ identity, params }, reply) =>
    reply.type(json).send(one(await feedOf(identity).get(params.notificationId))),
  )
  app.patch('/notifications/:notificationId/read', options, async ({ identity, params }, reply) =>
    reply.type(json).send(one(await feedOf(identity).markRead(params.notificationId, clock()))),
  )
  app.patch('/notifications/:notificationId/unread', options, async ({ identity, params }, reply) =>
    reply.type(json).send(one(await feedOf(identity).markUnread(params.notificationId, clock()))),
  )
}
