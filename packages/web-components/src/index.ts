export { type ChangeLogTexts, changeLogTexts, HeraldChangeLog } from './change-log-element.ts'
export type { HeraldErrorEvent, HeraldNotificationEvent, HeraldUnreadCountEvent } from './events.ts'
export { HeraldInbox, type InboxTexts, inboxTexts } from './inbox-element.ts'
export { addLanguage, type Language } from './texts/languages.ts'
