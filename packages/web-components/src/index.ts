import type { Notification } from '@herald/client'
import { HeraldChangeLog } from './change-log/herald-change-log.ts'
import { HeraldInbox } from './inbox/herald-inbox.ts'

export type { ChangeLogTexts } from './texts/change-log-texts.ts'
export { changeLogTexts } from './texts/change-log-texts.ts'
export type { InboxTexts } from './texts/inbox-texts.ts'
export { inboxTexts } from './texts/inbox-texts.ts'
export { addLanguage, type Language } from './texts/languages.ts'
export { HeraldChangeLog, HeraldInbox }

/** Events that the components dispatch. */
export type HeraldNotificationEvent = CustomEvent<{ notification: Notification; href?: string | undefined }>
export type HeraldUnreadCountEvent = CustomEvent<{ unreadCount: number; unseenCount: number | undefined }>
export type HeraldErrorEvent = CustomEvent<{ error: unknown; during: 'list' | 'mark' | 'mute' | 'stream' | 'export' }>

declare global {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface extends a declaration of the DOM.
  interface HTMLElementTagNameMap {
    'herald-inbox': HeraldInbox
    'herald-change-log': HeraldChangeLog
  }
}

// A page may load two copies, for example the bundle and an application's own; the first one is used.
if (!customElements.get('herald-inbox')) customElements.define('herald-inbox', HeraldInbox)
if (!customElements.get('herald-change-log')) customElements.define('herald-change-log', HeraldChangeLog)
