import { HeraldInbox } from './inbox/herald-inbox.ts'

export type { HeraldErrorEvent, HeraldNotificationEvent, HeraldUnreadCountEvent } from './events.ts'
export type { InboxTexts } from './texts/inbox-texts.ts'
export { inboxTexts } from './texts/inbox-texts.ts'
export { addLanguage, type Language } from './texts/languages.ts'
export { HeraldInbox }

declare global {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface extends a declaration of the DOM.
  interface HTMLElementTagNameMap {
    'herald-inbox': HeraldInbox
  }
}

// A page may load two copies, for example the bundle and an application's own; the first one is used.
if (!customElements.get('herald-inbox')) customElements.define('herald-inbox', HeraldInbox)
