import type { ChangeEntries, ChangeEntry, ExportFormat, HeraldClient } from '@herald/client'
import { html, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit'
import { avatarStyles } from '../shared/avatar.ts'
import { followUser } from '../shared/follow-user.ts'
import { HeraldElement } from '../shared/herald-element.ts'
import { stateStyles } from '../shared/state-styles.ts'
import { theme } from '../shared/theme.ts'
import { whenSeen } from '../shared/when-seen.ts'
import { type ChangeLogTexts, changeLogTexts } from '../texts/change-log-texts.ts'
import { type FilterName, type Filters, queryOf, readFilters, writeFilters } from './address-filters.ts'
import { type ChangeLogFeed, type ChangeLogState, createChangeLogFeed, emptyChangeLog } from './change-log-feed.ts'
import { changeLogView } from './change-log-view.ts'
import { differenceStyles } from './difference-styles.ts'
import { entryStyles } from './entry-styles.ts'
import { filtersStyles } from './filters-styles.ts'
import { saveFile } from './save-file.ts'
import { sealText } from './seal-view.ts'
import { createSeals, type SealOf, type Seals } from './seals.ts'
import { createSeenValues } from './seen-values.ts'
import { timelineStyles } from './timeline-styles.ts'
import { toolbarStyles } from './toolbar-styles.ts'

/**
 * The change log as a timeline with differences, filters and export.
 *
 * @fires herald-filter - `{ filters }`: the filters have changed.
 * @fires herald-error - `{ error, during }`: `list`, `export` or `seal` failed.
 */
export class HeraldChangeLog extends HeraldElement {
  static override styles = [
    theme,
    avatarStyles,
    stateStyles,
    toolbarStyles,
    filtersStyles,
    timelineStyles,
    entryStyles,
    differenceStyles,
  ]
  static override properties: PropertyDeclarations = {
    texts: { attribute: false },
    addressPrefix: { attribute: 'address-prefix' },
    noAddress: { attribute: 'no-address', type: Boolean },
    noSeals: { attribute: 'no-seals', type: Boolean },
    filters: { state: true },
    state: { state: true },
    isFiltering: { state: true },
    exporting: { state: true },
    hasExportFailed: { state: true },
    whole: { state: true },
    sealOf: { state: true },
  }

  /** Replaces texts. */
  declare texts: Partial<ChangeLogTexts> | undefined
  /** Prefix of the filters' names in the address bar. */
  declare addressPrefix: string
  /** Keeps the filters out of the address bar. */
  declare noAddress: boolean
  /** Shows nothing of seals, and asks for none. */
  declare noSeals: boolean
  declare private filters: Filters
  declare private state: ChangeLogState
  declare private isFiltering: boolean
  declare private exporting: ExportFormat | undefined
  declare private hasExportFailed: boolean
  /** Ids of entries whose difference is expanded. */
  declare private whole: ReadonlySet<string>
  declare private sealOf: SealOf | undefined

  #seen = createSeenValues()
  #changeEntries: ChangeEntries | undefined
  #feed: ChangeLogFeed | undefined
  #seals: Seals | undefined
  #connection = new AbortController()

  constructor() {
    super()
    this.addressPrefix = ''
    this.noAddress = false
    this.noSeals = false
    this.filters = {}
    this.state = emptyChangeLog
    this.isFiltering = false
    this.hasExportFailed = false
    this.whole = new Set()
    const end = () => ({ sentinel: this.renderRoot.querySelector('.sentinel'), scroller: null })
    whenSeen(this, end, () => void this.#feed?.more())
  }

  /** Fetches the list again, from the newest entry. */
  async refresh(): Promise<void> {
    await this.#feed?.list(queryOf(this.filters))
  }

  /** Fetches all entries that match the filters, with the token, and saves them as a file. */
  async export(format: ExportFormat): Promise<void> {
    if (!this.#changeEntries || this.exporting) return
    const texts = this.#texts
    const { signal } = this.#connection
    this.exporting = format
    this.hasExportFailed = false
    this.announce(texts.exporting)
    try {
      const response = await this.#changeEntries.export(format, queryOf(this.filters), { signal })
      const name = `change-log-${new Date().toISOString().slice(0, 10)}.${format}`
      saveFile(await response.blob(), name)
      this.announce(texts.exported(name))
    } catch (error) {
      if (signal.aborted) return
      this.hasExportFailed = true
      this.announce(texts.exportFailed)
      this.emit('herald-error', { error, during: 'export' })
    } finally {
      this.exporting = undefined
    }
  }

  protected connect(client: HeraldClient): void {
    const { changeEntries } = client
    this.#changeEntries = changeEntries
    this.#connection = new AbortController()
    const { signal } = this.#connection
    const onOther = () => {
      this.disconnect()
      this.connect(client)
    }
    followUser(client.session, { onOther, signal })
    this.#feed = createChangeLogFeed({ changeEntries, onChange: (state) => this.#onState(state) })
    this.#seals = createSeals({
      changeEntries,
      onChange: (sealOf) => {
        this.sealOf = sealOf
      },
    })
    if (!this.noAddress) {
      this.filters = readFilters(location.search, this.addressPrefix)
      const reread = () => this.#setFilters(readFilters(location.search, this.addressPrefix))
      window.addEventListener('popstate', reread, { signal })
    }
    const again = () => this.state.phase === 'failed' && !document.hidden && void this.refresh()
    window.addEventListener('online', again, { signal })
    document.addEventListener('visibilitychange', again, { signal })
    void this.refresh()
  }

  protected disconnect(): void {
    this.#connection.abort()
    this.#feed?.stop()
    this.#feed = undefined
    this.#seals?.stop()
    this.#seals = undefined
    this.sealOf = undefined
    this.#changeEntries = undefined
    this.#seen = createSeenValues()
    this.whole = new Set()
    this.state = emptyChangeLog
  }

  protected override render(): TemplateResult {
    const { state, filters, isFiltering, exporting, hasExportFailed, whole, currentLocale: locale } = this
    const texts = this.#texts
    const view = changeLogView({
      state,
      filters,
      isFiltering,
      exporting,
      hasExportFailed,
      whole,
      locale,
      texts,
      sealOf: this.noSeals ? undefined : this.sealOf,
      seen: this.#seen.values,
      spoken: this.spoken,
      now: new Date(),
      onFilter: (name, value) => this.#choose(name, value),
      onClear: () => this.#choose(),
      onToggleFilters: () => {
        this.isFiltering = !this.isFiltering
      },
      onExport: (format) => void this.export(format),
      onDismiss: () => {
        this.hasExportFailed = false
      },
      onRefresh: () => void this.refresh(),
      onMore: () => void this.#feed?.more(),
      onWhole: (id) => {
        this.whole = new Set([...this.whole, id])
      },
      onCheck: (entry) => void this.#check(entry),
      onSaveProof: (entry) => void this.#saveProof(entry),
    })
    return html`<div lang=${this.language.tag}>${view}</div>`
  }

  protected override updated(changed: PropertyValues): void {
    const before = changed.get('state') as ChangeLogState | undefined
    if (!before || before.entries.length === this.state.entries.length || this.state.phase !== 'ready') return
    this.announce(this.#texts.loaded(this.state.entries.length))
  }

  get #texts(): ChangeLogTexts {
    return { ...changeLogTexts, ...this.language.texts.changeLog, ...this.texts }
  }

  #onState(state: ChangeLogState): void {
    const isFetched = state.phase === 'ready' && this.state.phase !== 'ready'
    // Values are collected while filters change. A list without filters starts again, because a person may have been erased.
    if (isFetched && Object.keys(this.filters).length === 0) this.#seen = createSeenValues()
    this.#seen.add(state.entries as ChangeEntry[])
    if (state.phase === 'failed' && this.state.phase !== 'failed') {
      this.announce(this.#texts.failedTitle)
      this.emit('herald-error', { error: state.error, during: 'list' })
    }
    // Unlike a list that has grown.
    if (isFetched && !this.noSeals) this.#seals?.look(state.entries)
    this.state = state
  }

  async #check(entry: ChangeEntry): Promise<void> {
    const seal = await this.#seals?.check(entry)
    if (!seal) return
    this.announce(sealText(seal, this.currentLocale, this.#texts))
    if (seal.kind === 'failed') this.emit('herald-error', { error: seal.error, during: 'seal' })
  }

  /** Saves the proof as text, which other programs verify, or else as JSON, as for an entry whose user was erased. */
  async #saveProof(entry: ChangeEntry): Promise<void> {
    const seal = this.sealOf?.(entry)
    if (!seal || seal === 'awaited' || !('proof' in seal)) return
    const { signal } = this.#connection
    const text = await this.#changeEntries?.proofText(entry.id, { signal }).catch(() => undefined)
    if (signal.aborted) return
    const [content, ending] =
      text === undefined ? [JSON.stringify({ data: seal.proof }, null, 2), 'json'] : [text, 'tlog-proof']
    saveFile(new Blob([content]), `proof-${entry.id}.${ending}`)
  }

  /** Sets a filter, removes it if the value is empty, or removes all without a name. Adds an entry to the history. */
  #choose(name?: FilterName, value = ''): void {
    const { [name ?? 'to']: _replaced, ...others } = this.filters
    const filters: Filters = name === undefined ? {} : value === '' ? others : { ...others, [name]: value }
    if (!this.noAddress) {
      const search = writeFilters(location.search, this.addressPrefix, filters)
      history.pushState(history.state, '', `${location.pathname}${search}${location.hash}`)
    }
    this.#setFilters(filters)
  }

  #setFilters(filters: Filters): void {
    if (JSON.stringify(filters) === JSON.stringify(this.filters)) return
    this.filters = filters
    this.emit('herald-filter', { filters })
    void this.refresh()
  }
}
