import { type ChangeEntry, type ExportFormat, isHeraldProblem } from '@herald/client'
import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { downloadIcon, filterIcon, logIcon, refreshIcon } from '../shared/icons.ts'
import { dayName } from '../shared/relative-time.ts'
import { emptyView, endView, failedView, failureNoticeView, loadingView } from '../shared/state-views.ts'
import type { ChangeLogState } from './change-log-feed.ts'
import { entryView } from './entry-view.ts'
import { chipsView, type FiltersView, filtersView } from './filters-view.ts'
import type { SealOf } from './seals.ts'

export type ChangeLogView = FiltersView & {
  readonly state: ChangeLogState
  readonly isFiltering: boolean
  readonly exporting: ExportFormat | undefined
  readonly hasExportFailed: boolean
  readonly whole: ReadonlySet<string>
  /** `undefined` if nothing is shown of seals. */
  readonly sealOf: SealOf | undefined
  readonly spoken: string
  readonly now: Date
  readonly onToggleFilters: () => void
  readonly onExport: (format: ExportFormat) => void
  readonly onDismiss: () => void
  readonly onRefresh: () => void
  readonly onMore: () => void
  readonly onWhole: (id: string) => void
  readonly onCheck: (entry: ChangeEntry) => void
  readonly onSaveProof: (entry: ChangeEntry) => void
}

const formats: readonly ExportFormat[] = ['csv', 'ndjson', 'json']

export function changeLogView(view: ChangeLogView): TemplateResult {
  const { texts, isFiltering, hasExportFailed, onDismiss } = view
  return html`${headerView(view)} ${isFiltering ? filtersView(view) : nothing} ${chipsView(view)}
    ${hasExportFailed ? failureNoticeView(texts.exportFailed, texts.dismiss, onDismiss) : nothing}
    ${bodyView(view)}
    <div class="hidden" role="status" aria-live="polite">${view.spoken}</div>`
}

function headerView({ filters, texts, isFiltering, exporting, onExport, onRefresh, onToggleFilters }: ChangeLogView) {
  const count = Object.keys(filters).length
  const exportButton = (format: ExportFormat) =>
    html`<button
      class="button"
      part="export"
      type="button"
      aria-label=${texts.exportLabel(format)}
      aria-busy=${exporting === format}
      ?disabled=${exporting !== undefined}
      @click=${() => onExport(format)}
    >
      ${exporting === format ? html`<i class="spinner"></i>` : texts.exportFormat(format)}
    </button>`
  return html`<div class="head" part="header">
    <h2 id="title">${texts.title}</h2>
    <div class="tools">
      <button class="button" type="button" aria-expanded=${isFiltering} aria-controls="filters" @click=${onToggleFilters}>
        ${filterIcon()} ${texts.filters} ${count > 0 ? html`<span class="count">${count}</span>` : nothing}
      </button>
      <button class="button icon" type="button" aria-label=${texts.refresh} title=${texts.refresh} @click=${onRefresh}>
        ${refreshIcon()}
      </button>
      <div class="group" role="group" aria-label=${texts.exportAs}>
        <span aria-hidden="true">${downloadIcon()} ${texts.exportAs}</span>${formats.map(exportButton)}
      </div>
    </div>
  </div>`
}

function bodyView(view: ChangeLogView) {
  const { state, texts, filters, onRefresh, onClear } = view
  if (state.phase === 'failed') {
    const button = { label: texts.retry, onClick: onRefresh }
    return failedView({ title: texts.failedTitle, text: reasonText(view), button })
  }
  if (state.phase === 'loading' && state.entries.length === 0) return loadingView(texts.loading, 4)
  if (state.entries.length === 0 && state.nextCursor === null) {
    const picture = logIcon()
    if (Object.keys(filters).length === 0) return emptyView({ picture, title: texts.emptyTitle, text: texts.emptyText })
    const button = { label: texts.clear, onClick: onClear }
    return emptyView({ picture, title: texts.emptyFilteredTitle, text: texts.emptyFilteredText, button })
  }
  return timelineView(view)
}

function timelineView(view: ChangeLogView) {
  const { state, whole, sealOf, locale, now, texts, onFilter } = view
  const days = Map.groupBy(state.entries, ({ createdAt }) => new Date(createdAt).toDateString())
  const isStale = state.phase === 'loading'
  return html`<div class="list ${isStale ? 'stale' : ''}" part="list" aria-busy=${isStale || state.more === 'loading'}>
      ${repeat(
        days,
        ([day]) => day,
        ([day, entries]) => html`<section aria-labelledby="day-${day.replaceAll(' ', '-')}">
          <h3 part="day" id="day-${day.replaceAll(' ', '-')}">${dayName(new Date(day), now, locale)}</h3>
          <ol>
            ${repeat(
              entries,
              ({ id }) => id,
              (entry: ChangeEntry) => {
                const ofEntry = { entry, isWhole: whole.has(entry.id), seal: sealOf?.(entry) }
                const onWhole = () => view.onWhole(entry.id)
                const onCheck = () => view.onCheck(entry)
                const onSaveProof = () => view.onSaveProof(entry)
                return entryView({ ...ofEntry, locale, now, texts, onFilter, onWhole, onCheck, onSaveProof })
              },
            )}
          </ol>
        </section>`,
      )}
    </div>
    ${endView(view)}`
}

function reasonText({ state, texts }: ChangeLogView): string {
  if (isHeraldProblem(state.error) && state.error.status === 401) return texts.signedOutText
  if (isHeraldProblem(state.error, 'missing_scope')) return texts.forbiddenText
  return navigator.onLine ? texts.failedText : texts.offlineText
}
