import { HeraldChangeLog } from './change-log/herald-change-log.ts'

export type { HeraldErrorEvent } from './events.ts'
export type { ChangeLogTexts } from './texts/change-log-texts.ts'
export { changeLogTexts } from './texts/change-log-texts.ts'
export { addLanguage, type Language } from './texts/languages.ts'
export { HeraldChangeLog }

declare global {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface extends a declaration of the DOM.
  interface HTMLElementTagNameMap {
    'herald-change-log': HeraldChangeLog
  }
}

// A page may load two copies, for example the bundle and an application's own; the first one is used.
if (!customElements.get('herald-change-log')) customElements.define('herald-change-log', HeraldChangeLog)
