import type { JsonValue } from '@herald/client'
import { html, nothing, type TemplateResult } from 'lit'
import type { Difference, Member, TextPart } from '../json-diff/diff-json.ts'
import type { ChangeLogTexts } from '../texts/change-log-texts.ts'
import { jsonValueView, type RowBudget, takeRow } from './json-value.ts'

type View = { readonly texts: ChangeLogTexts; readonly budget: RowBudget }

/** A difference of two JSON values: values side by side, texts word by word, objects and arrays member by member. */
export function differenceView(difference: Difference, view: View): TemplateResult {
  const { texts } = view
  switch (difference.kind) {
    case 'same':
      return html`<p class="none">${texts.noDifference}</p>`
    case 'added':
      return html`<div class="line">${valueView('added', difference.value, texts.added, view)}</div>`
    case 'removed':
      return html`<div class="line">${valueView('removed', difference.value, texts.removed, view)}</div>`
    case 'replaced':
      return html`<div class="line">
        ${valueView('removed', difference.before, texts.before, view)}<span class="to" aria-hidden="true">→</span
        >${valueView('added', difference.after, texts.after, view)}
      </div>`
    case 'text':
      // The template adds no white space, because the text's own is preserved.
      return html`<p class="text">${difference.parts.map(({ kind, text }) => partView(kind, text, texts))}</p>`
    case 'object':
    case 'array':
      return membersView(difference.members, difference.kind, view)
  }
}

function partView(kind: TextPart['kind'], text: string, texts: ChangeLogTexts): TemplateResult | string {
  if (kind === 'same') return text
  if (kind === 'added') return html`<ins><span class="hidden">${texts.added} </span>${text}</ins>`
  return html`<del><span class="hidden">${texts.removed} </span>${text}</del>`
}

function membersView(members: readonly Member[], kind: 'object' | 'array', view: View): TemplateResult {
  const changed = members.filter(({ difference }) => difference.kind !== 'same')
  const unchanged = members.length - changed.length
  const fitting = changed.filter(() => takeRow(view.budget))
  return html`<ul class="members">
    ${fitting.map(
      ({ name, difference }) =>
        html`<li class="${difference.kind} ${'whole' in difference ? difference.whole : ''}">
          <span class="name ${kind}">${wholeText(difference, view.texts)}${kind === 'array' ? `[${name}]` : name === '' ? '""' : name}</span>
          ${differenceView(difference, view)}
        </li>`,
    )}
    ${unchanged > 0 ? html`<li class="unchanged">${view.texts.unchanged(unchanged)}</li>` : nothing}
  </ul>`
}

/** Announces added and removed members to screen readers; visually, only their colour shows it. */
function wholeText(difference: Difference, texts: ChangeLogTexts) {
  if (!('whole' in difference)) return nothing
  return html`<span class="hidden">${difference.whole === 'added' ? texts.added : texts.removed} </span>`
}

function valueView(
  kind: 'added' | 'removed',
  value: JsonValue,
  label: string,
  { texts, budget }: View,
): TemplateResult {
  const spoken = html`<span class="hidden">${label} </span>`
  if (value === null) return html`<span class="nothing">${spoken}${texts.nothing}</span>`
  const content = jsonValueView(value, budget)
  return kind === 'added' ? html`<ins>${spoken}${content}</ins>` : html`<del>${spoken}${content}</del>`
}
