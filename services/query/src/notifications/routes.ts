import { operations } from '@herald/contracts'
import { type Budget, type HttpServer, type Identity, problem, routeOptions } from '@herald/runtime'
import type { Feed, FeedOwner, Notifications } from '@herald/store'

export type NotificationRoutesDependencies = {
  readonly notifications: Pick<Notifications, 'of'>
  readonly countUnread: (owner: FeedOwner, waitMs?: number) => Promise<number>
  readonly marks: Pick<Budget, 'within'>
  /** The time by MongoDB's clock, which marks are compared by. */
  readonly clock: () => Date
}

/** After a refusal a client would repeat what is already done, and mark what has arrived since. */
const countAfterMarkMs = 60_000
const json = 'application/json; charset=utf-8'

/** Serves the feed of the current user: list, count, single notifications and marks (specification 4.2 and 4.3). */
export function addNotificationRoutes(
  app: HttpServer,
  { notifications, countUnread, marks, clock }: NotificationRoutesDependencies,
): void {
  const ownerOf = ({ subscriberId, userId }: Identity): FeedOwner => ({ subscriberId, recipientId: userId })
  const feedOf = (identity: Identity): Feed => notifications.of(ownerOf(identity))

  app.get('/', routeOptions(operations.listNotifications), async ({ identity, query }, reply) => {
    const { cursor, ...filters } = query
    return reply.type(json).send(await feedOf(identity).list({ ...filters, before: cursor }))
  })

  app.get('/notifications/unread-count', routeOptions(operations.countUnreadNotifications), async ({ identity }) => ({
    data: { unreadCount: await countUnread(ownerOf(identity)) },
  }))

  app.post(
    '/notifications/read',
    routeOptions(operations.markNotificationsRead),
    async ({ identity, body: { ids, upTo } }) => {
      const selected = ids ? { ids } : { all: true as const, upTo }
      const updated = await marks.within(identity, 1, () => feedOf(identity).markManyRead(selected, clock()))
      return { data: { updated, unreadCount: await countUnread(ownerOf(identity), countAfterMarkMs) } }
    },
  )

  const byId = {
    getNotification: (feed, id) => feed.get(id),
    markNotificationRead: (feed, id) => feed.markRead(id, clock()),
    markNotificationUnread: (feed, id) => feed.markUnread(id, clock()),
  } as const satisfies Partial<Record<keyof typeof operations, (feed: Feed, id: string) => Promise<Buffer | null>>>
  for (const [name, act] of Object.entries(byId)) {
    const operation = operations[name as keyof typeof byId]
    app.route({
      ...routeOptions(operation),
      method: operation.method,
      url: operation.path,
      async handler({ identity, params }, reply) {
        const body = await act(feedOf(identity), params.notificationId)
        // The same response for notifications that never existed, are deleted, or belong to another user.
        if (body === null) throw problem('not_found', 'Notification not found')
        return reply.type(json).send(body)
      },
    })
  }
}
