import { html, nothing, type TemplateResult } from 'lit'
import { downloadIcon, sealIcon, warningIcon } from '../shared/icons.ts'
import { timeOfDay } from '../shared/relative-time.ts'
import type { ChangeLogTexts } from '../texts/change-log-texts.ts'
import type { Seal } from './seals.ts'

export type SealView = {
  readonly seal: Seal | 'awaited'
  readonly locale: string
  readonly texts: ChangeLogTexts
  readonly onCheck: () => void
  readonly onSaveProof: () => void
}

/**
 * The seal of an entry. It is a button in every state, so that the focus stays on it while it is checked. While it is awaited,
 * only its place is kept, so that the list does not move under the reader.
 */
export function sealView({ seal, locale, texts, onCheck, onSaveProof }: SealView): TemplateResult {
  if (seal === 'awaited') return html`<div class="seal awaited"></div>`
  const { kind } = seal
  return html`<div class="seal ${kind}" part="seal">
    <button class="link" type="button" title=${texts.seal('unknown')} aria-busy=${kind === 'checking'} @click=${onCheck}>
      ${kind === 'altered' ? warningIcon(14) : sealIcon()}<span>${sealText(seal, locale, texts)}</span>
    </button>
    ${
      'proof' in seal
        ? html`<button class="link" type="button" @click=${onSaveProof}>
            ${downloadIcon(14)}<span>${texts.saveProof}</span>
          </button>`
        : nothing
    }
  </div>`
}

export function sealText(seal: Seal, locale: string, texts: ChangeLogTexts): string {
  return texts.seal(seal.kind, 'readAt' in seal ? timeOfDay(seal.readAt, locale) : undefined)
}
