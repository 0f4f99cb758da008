import type { ArchiveMany, Notification } from './contract-types.ts'

/** The selection of a bulk mark: up to `upTo` in list order, or all if `null`; the others are absent unless it named them. */
type Selected = Pick<ArchiveMany, 'locationType' | 'locationId' | 'status'> & { readonly upTo: string | null }

/** An event of the server. Each has a position in the stream, which the option `lastEventId` accepts. */
type ServerEvent =
  | { readonly type: 'notification'; readonly notification: Notification }
  /** Notifications were marked, in this client or elsewhere; `readAt` is `null` for unread. */
  | { readonly type: 'read-state'; readonly ids: readonly string[]; readonly readAt: string | null }
  /** Notifications were marked in bulk, up to `upTo` in list order or among all if `null`: list again. */
  | ({ readonly type: 'bulk-read-state'; readonly readAt: string | null } & Selected)
  /** Notifications were archived, and so read; `archivedAt` is `null` if they were taken out of the archive. */
  | { readonly type: 'archive-state'; readonly ids: readonly string[]; readonly archivedAt: string | null }
  /** Many were archived, or taken back with `null`: list again. */
  | ({ readonly type: 'bulk-archive-state'; readonly archivedAt: string | null } & Selected)
  /** Notifications up to `seenUpTo` in list order were seen, in this client or elsewhere. */
  | { readonly type: 'seen'; readonly seenUpTo: string }
  /** Notifications were retracted and are no longer in the feed. */
  | { readonly type: 'retracted'; readonly ids: readonly string[] }
  /** Notifications were removed in bulk, up to `upTo` in list order or all if `null`: list again. */
  | { readonly type: 'bulk-retracted'; readonly upTo: string | null }
  /** The exact counts, at the start and after changes. */
  | { readonly type: 'unread-count'; readonly unreadCount: number; readonly unseenCount: number }
  /** All events up to now were sent. Sent once the stream has caught up, and then every 15 s. */
  | { readonly type: 'heartbeat' }
  /** The position is gone: the stream restarts from now, and lists must be fetched again. */
  | { readonly type: 'reset'; readonly reason: string }

/** Reason for a lost connection. The last three are sent by the server before it ends the stream. */
export type LossReason = 'connection' | 'refused' | 'not-shared' | 'expired' | 'closing' | 'cut-off'

/** A change of the connection: `open`, or `lost` with the pause before the next attempt. */
type ConnectionEvent =
  | { readonly type: 'open' }
  | { readonly type: 'lost'; readonly reason: LossReason; readonly retryInMs: number; readonly error: unknown }

/** An event of the feed and its position. Passed as `lastEventId`, the stream resumes after it. */
export type FeedEvent = (ServerEvent | ConnectionEvent) & { readonly lastEventId: string | undefined }

/** Reason that the server sends before it ends the stream. */
export type EndReason = Extract<LossReason, 'expired' | 'closing' | 'cut-off'>
const endReasons: readonly string[] = ['expired', 'closing', 'cut-off'] satisfies EndReason[]

export type Decoded = { readonly event: ServerEvent } | { readonly reason: EndReason } | undefined

/** Decodes a server-sent event; returns `undefined` for events unknown to this client. */
export function decodeEvent(name: string, text: string): Decoded {
  if (endReasons.includes(name)) return { reason: name as EndReason }
  const data = JSON.parse(text)
  switch (name) {
    case 'notification':
      return { event: { type: name, notification: data } }
    case 'read-state':
    case 'archive-state': {
      const { all, ...state } = data
      return { event: { ...state, type: all ? `bulk-${name}` : name } }
    }
    case 'seen':
      return { event: { type: name, seenUpTo: data.seenUpTo } }
    case 'retracted':
      return data.ids === undefined
        ? { event: { type: 'bulk-retracted', upTo: data.upTo } }
        : { event: { type: name, ids: data.ids } }
    case 'unread-count':
      return { event: { type: name, unreadCount: data.unreadCount, unseenCount: data.unseenCount } }
    case 'heartbeat':
      return { event: { type: name } }
    case 'reset':
      return { event: { type: name, reason: data.reason } }
    default:
      return undefined
  }
}
