import type { Notification } from './contract-types.ts'

/** What the server tells. Every event of these stands at a position, which `lastEventId` of the stream's options takes. */
type Told =
  | { readonly type: 'notification'; readonly notification: Notification }
  /** These were marked, here or elsewhere; `readAt` is `null` for unread. */
  | { readonly type: 'read-state'; readonly ids: readonly string[]; readonly readAt: string | null }
  /** Many were marked at once, among those up to this one in the order of the list, or among all when `null`: list again. */
  | { readonly type: 'bulk-read-state'; readonly upTo: string | null; readonly readAt: string | null }
  /** Exact, at the start and after changes. */
  | { readonly type: 'unread-count'; readonly unreadCount: number }
  /** Everything up to now was told; comes when that is first so, and then every 15 s. */
  | { readonly type: 'heartbeat' }
  /** The position is gone: the stream begins anew from now, and what was shown has to be listed again. */
  | { readonly type: 'reset'; readonly reason: string }

/** Why a connection was lost. The last three are what the server said before it ended. */
export type LossReason = 'connection' | 'refused' | 'expired' | 'closing' | 'cut-off'

/** What the connection does: `open` when it stands, `lost` when it does not, with the pause before the next attempt. */
type Connection =
  | { readonly type: 'open' }
  | { readonly type: 'lost'; readonly reason: LossReason; readonly retryInMs: number; readonly error: unknown }

/** An event of the feed, and the position after it: given as `lastEventId`, the stream goes on behind it. */
export type FeedEvent = (Told | Connection) & { readonly lastEventId: string | undefined }

/** What the server says before it ends the stream. */
export type Farewell = Extract<LossReason, 'expired' | 'closing' | 'cut-off'>
const farewells: readonly string[] = ['expired', 'closing', 'cut-off'] satisfies Farewell[]

export type Decoded = { readonly told: Told } | { readonly farewell: Farewell } | undefined

/** What an event of the wire says; `undefined` for one that is newer than this client. */
export function decodeEvent(name: string, text: string): Decoded {
  if (farewells.includes(name)) return { farewell: name as Farewell }
  const data = JSON.parse(text)
  switch (name) {
    case 'notification':
      return { told: { type: name, notification: data } }
    case 'read-state':
      return data.ids === undefined
        ? { told: { type: 'bulk-read-state', upTo: data.upTo, readAt: data.readAt } }
        : { told: { type: name, ids: data.ids, readAt: data.readAt } }
    case 'unread-count':
      return { told: { type: name, unreadCount: data.unreadCount } }
    case 'heartbeat':
      return { told: { type: name } }
    case 'reset':
      return { told: { type: name, reason: data.reason } }
    default:
      return undefined
  }
}
