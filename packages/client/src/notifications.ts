import type {
  CreatedNotification,
  CreateNotification,
  ListNotificationsQuery,
  MarkedRead,
  Notification,
  NotificationPage as NotificationPageResponse,
  UnreadCount,
} from './contract-types.ts'
import type { CallOptions, Http } from './http.ts'
import { pages } from './pages.ts'
import { queryString } from './query-string.ts'
import type { FeedEvent, FollowOptions } from './stream.ts'

/** Filters, `limit` (1 to 100, default 20) and `cursor`, the `nextCursor` of the previous page. */
export type NotificationQuery = Readonly<ListNotificationsQuery>

export type NotificationPage = NotificationPageResponse['data']

/** Selects notifications by ids (at most 100), all, or all up to one in list order. */
export type MarkManyRead =
  | { readonly ids: readonly string[] }
  | { readonly all: true; readonly upTo?: string | undefined }

export type NewNotification = Omit<CreateNotification, 'recipientIds'> & { readonly recipientIds: readonly string[] }

export type Notifications = ReturnType<typeof createNotifications>

export type NotificationsDependencies = {
  readonly http: Pick<Http, 'json' | 'empty'>
  readonly follow: (options?: FollowOptions) => AsyncGenerator<FeedEvent, never, undefined>
}

/** The current user's notifications. */
export function createNotifications({ http, follow }: NotificationsDependencies) {
  const one = (id: string) => `/notifications/${encodeURIComponent(id)}`
  const list = (query: NotificationQuery = {}, { signal }: CallOptions = {}) =>
    http.json<NotificationPage>({ path: `/${queryString(query)}`, signal })

  return {
    /** A page, newest first. A short or empty page may have a next one; only a `nextCursor` of `null` marks the last page. */
    list,
    /** All notifications, newest first, page by page. */
    iterate: (query: NotificationQuery = {}, options: CallOptions = {}) =>
      pages(query.cursor, async (cursor) => {
        const { notifications, nextCursor } = await list({ limit: 100, ...query, cursor }, options)
        return { items: notifications, nextCursor }
      }),
    get: (id: string, { signal }: CallOptions = {}) => http.json<Notification>({ path: one(id), signal }),
    /** Marks a notification as read; if it is read already, `readAt` is unchanged. */
    markRead: (id: string, { signal }: CallOptions = {}) =>
      http.json<Notification>({ method: 'PATCH', path: `${one(id)}/read`, signal }),
    /** Marks a notification as unread, which sets `readAt` to `null`. */
    markUnread: (id: string, { signal }: CallOptions = {}) =>
      http.json<Notification>({ method: 'PATCH', path: `${one(id)}/unread`, signal }),
    /** Marks many notifications as read, among those stored at the time of the call. */
    markManyRead: (which: MarkManyRead, { signal }: CallOptions = {}) =>
      http.json<MarkedRead['data']>({
        method: 'POST',
        path: '/notifications/read',
        body: which,
        // A retried `all` without `upTo` would also mark notifications that arrived in between.
        repeatable: 'ids' in which || which.upTo !== undefined,
        signal,
      }),
    unreadCount: async ({ signal }: CallOptions = {}): Promise<number> => {
      const { unreadCount } = await http.json<UnreadCount['data']>({ path: '/notifications/unread-count', signal })
      return unreadCount
    },
    /**
     * Creates a notification (scope `notifications:create`). Sends an `Idempotency-Key`, so that retries create no duplicate. To
     * retry yourself, for example after a crash, pass the key of the first attempt.
     */
    create: (
      notification: NewNotification,
      { idempotencyKey = randomKey(), signal }: CallOptions & { readonly idempotencyKey?: string } = {},
    ) =>
      http.json<CreatedNotification>({
        method: 'POST',
        path: '/',
        headers: { 'idempotency-key': idempotencyKey },
        body: notification,
        signal,
      }),
    /** Retracts a notification of which the user is the actor (scope `notifications:create`), from all recipients. */
    retract: (id: string, { signal }: CallOptions = {}) => http.empty({ method: 'DELETE', path: one(id), signal }),
    /**
     * Streams live events. Reconnects without loss until the signal is aborted or the loop is left. Throws permanent errors (400,
     * 403, a token still rejected after a refresh).
     */
    stream: follow,
  }
}

// Not `crypto.randomUUID`, which pages served without TLS do not have.
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
