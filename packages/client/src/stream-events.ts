import type { Notification } from './contract-types.ts'

/** An event of the server. Each has a position in the stream, which the option `lastEventId` accepts. */
type ServerEvent =
  | { readonly type: 'notification'; readonly notification: Notification }
  /** Notifications were marked, in this client or elsewhere; `readAt` is `null` for unread. */
  | { readonly type: 'read-state'; readonly ids: readonly string[]; readonly readAt: string | null }
  /** Notifications were marked in bulk, up to `upTo` in list order or among all if `null`: list again. */
  | { readonly type: 'bulk-read-state'; readonly upTo: string | null; readonly readAt: string | null }
  /** Notifications were retracted and are no longer in the feed. */
  | { readonly type: 'retracted'; readonly ids: readonly string[] }
  /** Notifications were removed in bulk, up to `upTo` in list order or all if `null`: list again. */
  | { readonly type: 'bulk-retracted'; readonly upTo: string | null }
  /** The exact count, at the start and after changes. */
  | { readonly type: 'unread-count'; readonly unreadCount: number }
  /** All events up to now were sent. Sent once the stream has caught up, and then every 15 s. */
  | { readonly type: 'heartbeat' }
  /** The position is gone: the stream restarts from now, and lists must be fetched again. */
  | { readonly type: 'reset'; readonly reason: string }

/** Reason for a lost connection. The last three are sent by the server before it ends the stream. */
export type LossReason = 'connection' | 'refused' | 'expired' | 'closing' | 'cut-off'

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
      return data.ids === undefined
        ? { event: { type: 'bulk-read-state', upTo: data.upTo, readAt: data.readAt } }
        : { event: { type: name, ids: data.ids, readAt: data.readAt } }
    case 'retracted':
      return data.ids === undefined
        ? { event: { type: 'bulk-retracted', upTo: data.upTo } }
        : { event: { type: name, ids: data.ids } }
    case 'unread-count':
      return { event: { type: name, unreadCount: data.unreadCount } }
    case 'heartbeat':
      return { event: { type: name } }
    case 'reset':
      return { event: { type: name, reason: data.reason } }
    default:
      return undefined
  }
}
