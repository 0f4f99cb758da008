import type {
  ArchiveMany,
  CreatedNotification,
  CreateNotification,
  ListNotificationGroupsQuery,
  ListNotificationsQuery,
  MarkedRead,
  Notification,
  NotificationGroupPage as NotificationGroupPageResponse,
  NotificationPage as NotificationPageResponse,
  Seen,
  UnreadCount,
} from './contract-types.ts'
import type { CallOptions, Http } from './http.ts'
import { pages } from './pages.ts'
import { queryString } from './query-string.ts'
import type { FeedEvent, FollowOptions } from './stream.ts'

/** Filters, `limit` (1 to 100, default 20) and `cursor`, the `nextCursor` of the previous page. */
export type NotificationQuery = Readonly<ListNotificationsQuery>

export type NotificationPage = NotificationPageResponse['data']

/** Filters of groups, `limit` (1 to 50, default 20) and `cursor`. */
export type GroupQuery = Readonly<ListNotificationGroupsQuery>

export type NotificationGroupPage = NotificationGroupPageResponse['data']

/** The counts after a bulk mark, and how many notifications it changed. */
export type Marked = MarkedRead['data']

/** Selects notifications by ids (at most 100), all, or all up to one in list order; of all, also those at a location. */
export type MarkMany =
  | { readonly ids: readonly string[] }
  | ({ readonly all: true } & Readonly<Pick<ArchiveMany, 'upTo' | 'locationType' | 'locationId'>>)

/** Selects notifications like {@link MarkMany}, or only those of all that are read. */
export type ArchiveSelection = MarkMany & Readonly<Pick<ArchiveMany, 'status'>>

export type NewNotification = Omit<CreateNotification, 'recipientIds'> & { readonly recipientIds: readonly string[] }

export type Notifications = ReturnType<typeof createNotifications>

export type NotificationsDependencies = {
  readonly http: Pick<Http, 'json' | 'empty'>
  readonly follow: (options?: FollowOptions) => AsyncGenerator<FeedEvent, never, undefined>
}

/** The current user's notifications. */
export function createNotifications({ http, follow }: NotificationsDependencies) {
  const one = (id: string) => `/notifications/${encodeURIComponent(id)}`
  const list = (query: NotificationQuery = {}, { signal, poll }: CallOptions = {}) =>
    http.json<NotificationPage>({ path: `/${queryString(query)}`, signal, poll })

  const counts = ({ signal, poll }: CallOptions = {}) =>
    http.json<UnreadCount['data']>({ path: '/notifications/unread-count', signal, poll })
  const mark = (id: string, state: string, options?: CallOptions) =>
    http.json<Notification>({ method: 'PATCH', path: `${one(id)}/${state}`, ...options })
  const markMany = (state: string, which: ArchiveSelection, options?: CallOptions) =>
    http.json<Marked>({
      method: 'POST',
      path: `/notifications/${state}`,
      body: which,
      // A retried `all` without `upTo` would also mark notifications that arrived in between.
      repeatable: 'ids' in which || which.upTo !== undefined,
      ...options,
    })

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
    markRead: (id: string, options?: CallOptions) => mark(id, 'read', options),
    /** Marks a notification as unread, which sets `readAt` to `null`. */
    markUnread: (id: string, options?: CallOptions) => mark(id, 'unread', options),
    /** Marks many notifications as read, among those stored at the time of the call. */
    markManyRead: (which: MarkMany, options?: CallOptions) => markMany('read', which, options),
    /** Archives a notification, which is read then. An archived one stays unchanged. */
    archive: (id: string, options?: CallOptions) => mark(id, 'archived', options),
    /** Takes a notification out of the archive; it stays read. */
    unarchive: (id: string, options?: CallOptions) => mark(id, 'unarchived', options),
    /** Archives many notifications, among those stored at the time of the call. */
    archiveMany: (which: ArchiveSelection, options?: CallOptions) => markMany('archived', which, options),
    unarchiveMany: (which: MarkMany, options?: CallOptions) => markMany('unarchived', which, options),
    /** Marks as seen what is stored, up to `upTo` in list order, the newest one shown. Later ones stay unseen. */
    markSeen: ({ upTo, signal }: CallOptions & { readonly upTo?: string | undefined } = {}) =>
      http.json<Seen['data']>({
        method: 'POST',
        path: '/notifications/seen',
        body: { upTo },
        signal,
        repeatable: upTo !== undefined,
      }),
    /** The numbers of unread and of unseen notifications, and the newest one seen. */
    counts,
    unreadCount: async (options?: CallOptions): Promise<number> => (await counts(options)).unreadCount,
    /** A page of groups, one for each location, of the newest 1,000 notifications. */
    groups: (query: GroupQuery = {}, { signal, poll }: CallOptions = {}) =>
      http.json<NotificationGroupPage>({ path: `/notifications/groups${queryString(query)}`, signal, poll }),
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
     * Streams live events. Reconnects without loss until the signal is aborted or the loop is left, also after refusals, because a
     * gateway or a key may be replaced at this moment: see the event `lost`.
     */
    stream: follow,
  }
}

// Not `crypto.randomUUID`, which pages served without TLS do not have.
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
