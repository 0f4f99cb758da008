import type { ChangeEntry, JsonValue } from '@herald/client'
import { html, type TemplateResult } from 'lit'
import type { ChangeLogTexts } from '../texts/change-log-texts.ts'
import { jsonValueView, type RowBudget, takeRow } from './json-value.ts'

/** A record that was created or deleted as a whole, as entries of captured changes have it. */
export type WholeRow = { readonly kind: 'added' | 'removed'; readonly fields: readonly [string, JsonValue][] }

/** Returns the row of an entry that names no field and has one state, an object; `undefined` for other entries. */
export function wholeRowOf({ changedField, beforeState, afterState }: ChangeEntry): WholeRow | undefined {
  if (changedField !== '' || (beforeState === null) === (afterState === null)) return undefined
  const row = afterState ?? beforeState
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return undefined
  return { kind: afterState === null ? 'removed' : 'added', fields: Object.entries(row) }
}

/** The fields of a row as a table. */
export function wholeRowView(
  { kind, fields }: WholeRow,
  { texts, budget }: { readonly texts: ChangeLogTexts; readonly budget: RowBudget },
): TemplateResult {
  if (fields.length === 0) return html`<p class="none">${texts.noFields}</p>`
  const shown = fields.filter(() => takeRow(budget))
  return html`<table class="row ${kind}">
    <caption class="hidden">${kind === 'added' ? texts.newRow : texts.lastRow}</caption>
    <tbody>
      ${shown.map(
        ([name, value]) => html`<tr>
          <th scope="row">${name === '' ? '""' : name}</th>
          <td>${value === null ? html`<span class="nothing">${texts.nothing}</span>` : jsonValueView(value, budget)}</td>
        </tr>`,
      )}
    </tbody>
  </table>`
}
