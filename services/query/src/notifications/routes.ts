import { operations } from '@herald/contracts'
import type { Counts, Feed, FeedOwner } from '@herald/feed'
import { type Budget, type HttpServer, type Identity, problem, routeOptions } from '@herald/runtime'
import type { Notifications } from '@herald/store'

export type NotificationRoutesDependencies = {
  readonly notifications: Pick<Notifications, 'of'>
  readonly countUnread: (owner: FeedOwner, waitMs?: number) => Promise<Counts>
  readonly marks: Pick<Budget, 'within'>
  /** Lists, groups and marks of many do not use it: their reads are counted by the store, or by another budget. */
  readonly storage: Pick<Budget, 'within'>
  /** The time by MongoDB's clock, which marks are compared by. */
  readonly clock: () => Date
}

/** After a refusal a client would repeat what is already done, and mark what has arrived since. */
const countAfterMarkMs = 60_000
const json = 'application/json; charset=utf-8'

/** Serves the feed of the current user: lists, counts, single notifications and marks (specification 4.2 and 4.3). */
export function addNotificationRoutes(
  app: HttpServer,
  { notifications, countUnread, marks, storage, clock }: NotificationRoutesDependencies,
): void {
  const ownerOf = ({ subscriberId, userId }: Identity): FeedOwner => ({ subscriberId, recipientId: userId })
  const feedOf = (identity: Identity): Feed => notifications.of(ownerOf(identity))

  app.get('/', routeOptions(operations.listNotifications), async ({ identity, query }, reply) => {
    const { cursor, ...filters } = query
    return reply.type(json).send(await feedOf(identity).list({ ...filters, before: cursor }))
  })

  app.get('/notifications/unread-count', routeOptions(operations.countUnreadNotifications), async ({ identity }) => ({
    data: await countUnread(ownerOf(identity)),
  }))

  app.get(
    '/notifications/groups',
    routeOptions(operations.listNotificationGroups),
    async ({ identity, query }, reply) => reply.type(json).send(await feedOf(identity).groups(query)),
  )

  const inBulk = {
    read: operations.markNotificationsRead,
    archived: operations.archiveNotifications,
    unarchived: operations.unarchiveNotifications,
  } as const
  for (const action of ['read', 'archived', 'unarchived'] as const) {
    const operation = inBulk[action]
    app.post(operation.path, routeOptions(operation), async ({ identity, body: { ids, all: _, ...restrictions } }) => {
      const selected = ids ? { ids } : { all: true as const, ...restrictions }
      const updated = await marks.within(identity, 1, () => feedOf(identity).markMany(action, selected, clock()))
      const { unreadCount, unseenCount } = await countUnread(ownerOf(identity), countAfterMarkMs)
      return { data: { updated, unreadCount, unseenCount } }
    })
  }

  app.post('/notifications/seen', routeOptions(operations.markNotificationsSeen), async ({ identity, body }) => {
    await storage.within(identity, 1, () => feedOf(identity).markSeen(body?.upTo, clock()))
    const { unseenCount, seenUpTo } = await countUnread(ownerOf(identity))
    return { data: { unseenCount, seenUpTo } }
  })

  const byId = {
    getNotification: (feed, id) => feed.get(id),
    markNotificationRead: (feed, id) => feed.markRead(id, clock()),
    markNotificationUnread: (feed, id) => feed.markUnread(id, clock()),
    archiveNotification: (feed, id) => feed.archive(id, clock()),
    unarchiveNotification: (feed, id) => feed.unarchive(id, clock()),
  } as const satisfies Partial<Record<keyof typeof operations, (feed: Feed, id: string) => Promise<Buffer | null>>>
  for (const [name, act] of Object.entries(byId)) {
    const operation = operations[name as keyof typeof byId]
    app.route({
      ...routeOptions(operation),
      method: operation.method,
      url: operation.path,
      async handler({ identity, params }, reply) {
        const body = await storage.within(identity, 1, () => act(feedOf(identity), params.notificationId))
        // Notifications that never existed, are deleted, or belong to another user have one response.
        if (body === null) throw problem('not_found', 'Notification not found')
        return reply.type(json).send(body)
      },
    })
  }
}
