import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { ChangeLogTexts } from './change-log-texts.ts'
import { changeLogTextsDe } from './change-log-texts-de.ts'
import type { InboxTexts } from './inbox-texts.ts'
import { inboxTextsDe } from './inbox-texts-de.ts'

/** The texts of both components in one language. Those that are missing are shown in English. */
export type Language = { readonly inbox?: Partial<InboxTexts>; readonly changeLog?: Partial<ChangeLogTexts> }

const languages = new Map<string, Language>([['de', { inbox: inboxTextsDe, changeLog: changeLogTextsDe }]])
const changed = new EventTarget()

/**
 * Adds a language, or replaces its texts, for all elements of the page.
 *
 * @param tag a BCP 47 tag such as `fr` or `pt-BR`
 */
export function addLanguage(tag: string, language: Language): void {
  languages.set(tag.toLowerCase(), language)
  changed.dispatchEvent(new Event('change'))
}

/** The language for a locale, `pt` for `pt-PT` if there is no better one, and the tag of its texts. */
export function languageFor(locale: string): { readonly tag: string; readonly texts: Language } {
  const parts = locale.toLowerCase().split('-')
  for (let count = parts.length; count > 0; count--) {
    const tag = parts.slice(0, count).join('-')
    const texts = languages.get(tag)
    if (texts) return { tag, texts }
  }
  return { tag: 'en', texts: {} }
}

/** Renders the host again when a language was added. */
export function followLanguages(host: ReactiveControllerHost): void {
  const update = () => host.requestUpdate()
  const controller: ReactiveController = {
    hostConnected: () => changed.addEventListener('change', update),
    hostDisconnected: () => changed.removeEventListener('change', update),
  }
  host.addController(controller)
}
