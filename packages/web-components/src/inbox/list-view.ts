import { html, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { endView } from '../shared/state-views.ts'
import { itemView } from './item-view.ts'
import type { PanelView } from './panel-model.ts'

/** The rendered part of the list. Styles are set as properties, because strict pages allow no attribute. */
export function listView(view: PanelView): TemplateResult {
  const { state, rows, range, currentKey, swipes, onFocus } = view
  const rendered = rows.slice(range.start, range.end)
  const current = rendered.some(({ key }) => key === currentKey) ? currentKey : rendered[0]?.key
  const focused = (event: FocusEvent) => {
    const key = (event.target as HTMLElement).closest('article')?.dataset.id
    if (key !== undefined) onFocus(key)
  }
  return html`<div .style=${`height:${range.above}px`}></div>
    <div
      role="feed"
      aria-labelledby="title"
      aria-busy=${state.more === 'loading'}
      @focusin=${focused}
      @pointerdown=${swipes.down}
      @pointermove=${swipes.move}
      @pointerup=${swipes.up}
      @pointercancel=${swipes.cancel}
    >
      ${repeat(
        rendered,
        ({ key }) => key,
        (row, index) => itemView(view, row, range.start + index, row.key === current),
      )}
    </div>
    <div .style=${`height:${range.below}px`}></div>
    ${endView(view)}`
}
