import type { ChangeEntry } from '@herald/client'
import { html, nothing, type TemplateResult } from 'lit'
import { type Difference, diffStates } from '../json-diff/diff-json.ts'
import { avatar } from '../shared/avatar.ts'
import { minusIcon, pencilIcon, plusIcon } from '../shared/icons.ts'
import { fullTime, relativeTime, timeOfDay } from '../shared/relative-time.ts'
import type { ChangeLogTexts } from '../texts/change-log-texts.ts'
import type { FilterName } from './address-filters.ts'
import { differenceView } from './difference-view.ts'
import type { RowBudget } from './json-value.ts'
import { sealView } from './seal-view.ts'
import type { Seal } from './seals.ts'
import { wholeRowOf, wholeRowView } from './whole-row-view.ts'

/** Rows of a difference shown until the user expands it. */
const ROWS = 24

export type EntryView = {
  readonly entry: ChangeEntry
  readonly isWhole: boolean
  /** `undefined` if nothing is shown of it. */
  readonly seal: Seal | 'awaited' | undefined
  readonly locale: string
  readonly now: Date
  readonly texts: ChangeLogTexts
  readonly onFilter: (name: FilterName, value: string) => void
  readonly onWhole: () => void
  readonly onCheck: () => void
  readonly onSaveProof: () => void
}

const differences = new WeakMap<ChangeEntry, Difference>()

/** One change: person, action, record, time, and the difference or the whole row. */
export function entryView(view: EntryView): TemplateResult {
  const { entry, isWhole, seal, locale, now, texts, onWhole } = view
  const { id, user, entityTitle, entityType, entityId, changedField, actionType } = entry
  const createdAt = new Date(entry.createdAt)
  const kind = kindOf(actionType)
  const budget: RowBudget = { rows: isWhole ? Number.POSITIVE_INFINITY : ROWS, isExceeded: false }
  const row = wholeRowOf(entry)
  const difference = row ? wholeRowView(row, { texts, budget }) : differenceView(differenceOf(entry), { texts, budget })
  const person = user.name || user.email || user.id
  return html`<li class="entry" part="entry" data-id=${id}>
    <span class="node ${kind}" aria-hidden="true">${nodeIcon(kind)}</span>
    <div class="card" part="card">
      <p class="what">
        ${avatar({ name: user.name || user.email })}
        <span class="sentence"
          >${filterButton(view, 'userId', user.id, html`<b>${person}</b>`, person)}
          ${texts.did(actionType)}
          ${changedField === '' ? texts.record : filterButton(view, 'changedField', changedField, html`<b>${changedField}</b>`)}</span
        >
      </p>
      <p class="where">
        ${filterButton(view, 'entityId', entityId, html`${entityTitle || entityId}`, entityTitle || entityId)}
        ${filterButton(view, 'entityType', entityType, html`<span class="kind">${entityType}</span>`)}
      </p>
      <time datetime=${entry.createdAt} title=${fullTime(createdAt, locale)}
        >${isRecent(createdAt, now) ? relativeTime(createdAt, now, locale) : timeOfDay(createdAt, locale)}</time
      >
      ${seal ? sealView({ ...view, seal }) : nothing}
      <div class="difference" part="difference">${difference}</div>
      ${
        budget.isExceeded
          ? html`<button class="button whole" type="button" @click=${onWhole}>${texts.showWhole}</button>`
          : nothing
      }
    </div>
  </li>`
}

/** A part of the sentence that filters the log by its value. */
function filterButton(view: EntryView, name: FilterName, value: string, content: TemplateResult, spoken = value) {
  const { texts, onFilter } = view
  const title = texts.filterBy(texts.filterLabel(name), spoken)
  return html`<button class="link" type="button" title=${title} @click=${() => onFilter(name, value)}>${content}</button>`
}

function differenceOf(entry: ChangeEntry): Difference {
  const known = differences.get(entry)
  if (known) return known
  const difference = diffStates(entry.beforeState, entry.afterState)
  differences.set(entry, difference)
  return difference
}

type Kind = 'created' | 'removed' | 'changed'

function kindOf(actionType: string): Kind {
  if (/^(creat|add|insert)/i.test(actionType)) return 'created'
  return /^(delet|remov)/i.test(actionType) ? 'removed' : 'changed'
}

function nodeIcon(kind: Kind) {
  return kind === 'created' ? plusIcon() : kind === 'removed' ? minusIcon() : pencilIcon()
}

function isRecent(time: Date, now: Date): boolean {
  return now.getTime() - time.getTime() < 3600 * 1000
}
