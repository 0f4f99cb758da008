import { html, type TemplateResult } from 'lit'
import type { InboxTexts } from '../texts/inbox-texts.ts'

/** The keys that work while the panel has the focus. */
export function keysView(texts: InboxTexts): TemplateResult {
  const rows = [
    [['j', '↓'], texts.keyNext],
    [['k', '↑'], texts.keyPrevious],
    [['Enter'], texts.keyOpen],
    [['u'], texts.keyUnread],
    [['e'], texts.archive],
    [['z'], texts.undo],
    [['m'], texts.more],
    [['?'], texts.keys],
    [['Esc'], texts.close],
  ] as const
  return html`<section class="keys" id="keys" part="keys" aria-label=${texts.keys}>
    <dl>
      ${rows.map(
        ([keys, effect]) =>
          html`<div>
            <dt>${keys.map((key) => html`<kbd>${key}</kbd>`)}</dt>
            <dd>${effect}</dd>
          </div>`,
      )}
    </dl>
  </section>`
}
