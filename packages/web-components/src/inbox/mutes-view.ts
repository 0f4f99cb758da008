import { html, type TemplateResult } from 'lit'
import { mutedIcon } from '../shared/icons.ts'
import { fullTime } from '../shared/relative-time.ts'
import { emptyView, failedView, loadingView } from '../shared/state-views.ts'
import { nameOfActor } from './inbox-state.ts'
import type { MutesState } from './mutes.ts'
import type { PanelView } from './panel-model.ts'

/** The user's mutes, in place of the list. */
export function mutesView(view: PanelView, { phase, mutes, examples }: MutesState): TemplateResult {
  const { texts, locale, nameOf, onLoadMutes, onUnmute } = view
  if (phase === 'loading') return loadingView(texts.loading, 3)
  if (phase === 'failed') {
    const button = { label: texts.retry, onClick: onLoadMutes }
    return failedView({ title: texts.failedTitle, text: texts.failedText, button })
  }
  if (mutes.length === 0) {
    return emptyView({ picture: mutedIcon(28), title: texts.emptyMutesTitle })
  }
  return html`<ul class="mutes" part="mutes" aria-label=${texts.mutes}>
    ${mutes.map((mute) => {
      const example = examples.get(mute.id)
      const found = example && (mute.kind === 'actor' ? nameOfActor(example) : example.metadata.mention.snippet)
      const name = nameOf?.(mute) || found || mute.id
      return html`<li>
        <p>
          <b dir="auto">${name}</b>
          <span class="meta">${mute.until === null ? texts.forGood : texts.until(fullTime(new Date(mute.until), locale))}</span>
        </p>
        <button class="button" type="button" aria-label="${texts.unmute}: ${name}" @click=${() => onUnmute(mute)}>
          ${texts.unmute}
        </button>
      </li>`
    })}
  </ul>`
}
