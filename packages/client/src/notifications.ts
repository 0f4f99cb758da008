import type {
  CreatedNotification,
  CreateNotification,
  ListNotificationsQuery,
  MarkedRead,
  Notification,
  NotificationPage as NotificationPageAnswer,
  UnreadCount,
} from './contract-types.ts'
import type { CallOptions, Http } from './http.ts'
import { pages } from './pages.ts'
import { queryString } from './query-string.ts'
import type { FeedEvent, FollowOptions } from './stream.ts'

/** Filters, `limit` (1 to 100, 20 when not said) and `cursor`, the `nextCursor` of the page before. */
export type NotificationQuery = Readonly<ListNotificationsQuery>

export type NotificationPage = NotificationPageAnswer['data']

/** Some by their ids (at most 100), all, or all up to one of them in the order of the list. */
export type MarkManyRead =
  | { readonly ids: readonly string[] }
  | { readonly all: true; readonly upTo?: string | undefined }

export type NewNotification = Omit<CreateNotification, 'recipientIds'> & { readonly recipientIds: readonly string[] }

export type Notifications = ReturnType<typeof createNotifications>

export type NotificationsDependencies = {
  readonly http: Pick<Http, 'json'>
  readonly follow: (options?: FollowOptions) => AsyncGenerator<FeedEvent, never, undefined>
}

/** The current user's notifications. */
export function createNotifications({ http, follow }: NotificationsDependencies) {
  const one = (id: string) => `/notifications/${encodeURIComponent(id)}`
  const list = (query: NotificationQuery = {}, { signal }: CallOptions = {}) =>
    http.json<NotificationPage>({ path: `/${queryString(query)}`, signal })

  return {
    /** A page, newest first. A page may be short or empty and still have a next one: only `null` says that it is the last. */
    list,
    /** All of them, newest first, page by page. */
    iterate: (query: NotificationQuery = {}, options: CallOptions = {}) =>
      pages(query.cursor, async (cursor) => {
        const { notifications, nextCursor } = await list({ limit: 100, ...query, cursor }, options)
        return { items: notifications, nextCursor }
      }),
    get: (id: string, { signal }: CallOptions = {}) => http.json<Notification>({ path: one(id), signal }),
    /** Marks one as read; one that was read before keeps its `readAt`. */
    markRead: (id: string, { signal }: CallOptions = {}) =>
      http.json<Notification>({ method: 'PATCH', path: `${one(id)}/read`, signal }),
    /** Marks one as unread; its `readAt` is `null` afterwards. */
    markUnread: (id: string, { signal }: CallOptions = {}) =>
      http.json<Notification>({ method: 'PATCH', path: `${one(id)}/unread`, signal }),
    /** Marks what is stored and unread now. */
    markManyRead: (which: MarkManyRead, { signal }: CallOptions = {}) =>
      http.json<MarkedRead['data']>({
        method: 'POST',
        path: '/notifications/read',
        body: which,
        // Sent again, a bare `all` would mark what came in between and nobody has seen.
        repeatable: 'ids' in which || which.upTo !== undefined,
        signal,
      }),
    unreadCount: async ({ signal }: CallOptions = {}): Promise<number> => {
      const { unreadCount } = await http.json<UnreadCount['data']>({ path: '/notifications/unread-count', signal })
      return unreadCount
    },
    /**
     * Creates one (scope `notifications:create`). It is sent with an `Idempotency-Key`, so that trying again makes no second;
     * who tries again himself, after a crash say, gives the key that he used before.
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
    /**
     * What happens, as it happens. It comes back by itself, without loss, until the signal is aborted or the loop is left;
     * what cannot mend (403, 400, a token that stays refused) is thrown.
     */
    stream: follow,
  }
}

// Not `crypto.randomUUID`: pages that came without TLS do not have it.
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
