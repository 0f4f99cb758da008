import { html, nothing, type TemplateResult } from 'lit'
import { closeIcon } from '../shared/icons.ts'
import type { ChangeLogTexts } from '../texts/change-log-texts.ts'
import { type FilterName, type Filters, filterNames } from './address-filters.ts'

/** Values seen in the log, with their display names. */
export type Seen = Readonly<Record<Exclude<FilterName, 'from' | 'to'>, ReadonlyMap<string, string>>>

export type FiltersView = {
  readonly filters: Filters
  readonly seen: Seen
  readonly locale: string
  readonly texts: ChangeLogTexts
  readonly onFilter: (name: FilterName, value: string) => void
  readonly onClear: () => void
}

/** The form of all filters. Each takes effect on change. */
export function filtersView(view: FiltersView): TemplateResult {
  return html`<div class="form" id="filters" part="filters" role="group" aria-label=${view.texts.filters}>
    ${filterNames.map((name) => field(view, name))}
  </div>`
}

/** The active filters, each with a button to remove it. */
export function chipsView(view: FiltersView): TemplateResult | typeof nothing {
  const { filters, texts, onFilter, onClear } = view
  const names = filterNames.filter((name) => filters[name] !== undefined)
  if (names.length === 0) return nothing
  return html`<ul class="chips" aria-label=${texts.filters}>
    ${names.map((name) => {
      const label = texts.filterLabel(name)
      const value = shownValue(view, name)
      const title = texts.removeFilter(label, value)
      return html`<li>
        <button class="chip" part="chip" type="button" title=${title} aria-label=${title} @click=${() => onFilter(name, '')}>
          <span>${label}</span> ${value} ${closeIcon(14)}
        </button>
      </li>`
    })}
    <li><button class="button quiet" type="button" @click=${onClear}>${texts.clear}</button></li>
  </ul>`
}

function field(view: FiltersView, name: FilterName) {
  const { texts } = view
  return html`<label><span>${texts.filterLabel(name)}</span>${control(view, name)}</label>`
}

function control(view: FiltersView, name: FilterName) {
  const { filters, seen, texts, onFilter } = view
  const value = filters[name] ?? ''
  const changed = (event: Event) => onFilter(name, (event.target as HTMLInputElement | HTMLSelectElement).value.trim())
  if (name === 'from' || name === 'to') {
    return html`<input type="date" .value=${value} max=${name === 'from' ? (filters.to ?? '') : ''} @change=${changed} />`
  }
  if (name === 'userId' || name === 'entityId') {
    const options = new Map(seen[name])
    if (value !== '' && !options.has(value)) options.set(value, shownValue(view, name))
    const sorted = [...options].sort(([, left], [, right]) => left.localeCompare(right))
    return html`<select .value=${value} @change=${changed}>
      <option value="" ?selected=${value === ''}>${name === 'userId' ? texts.anyone : texts.any}</option>
      ${sorted.map(([id, title]) => html`<option value=${id} ?selected=${id === value}>${title}</option>`)}
    </select>`
  }
  return html`<input
      type="text"
      list="seen-${name}"
      .value=${value}
      placeholder=${texts.any}
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
      @change=${changed}
    /><datalist id="seen-${name}">${[...seen[name].keys()].sort().map((known) => html`<option value=${known}></option>`)}</datalist>`
}

function shownValue({ filters, seen, locale, texts }: FiltersView, name: FilterName): string {
  const value = filters[name] ?? ''
  if (name === 'from' || name === 'to') {
    return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(value))
  }
  return seen[name].get(value) ?? (name === 'userId' ? texts.unknownPerson : value)
}
