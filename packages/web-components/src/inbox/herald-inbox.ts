import type { HeraldClient, Notification } from '@herald/client'
import { html, nothing, type PropertyDeclarations, type PropertyValues } from 'lit'
import { keyed } from 'lit/directives/keyed.js'
import { avatarStyles } from '../shared/avatar.ts'
import { HeraldElement } from '../shared/herald-element.ts'
import { bellIcon } from '../shared/icons.ts'
import { placeBelow } from '../shared/place-below.ts'
import { stateStyles } from '../shared/state-styles.ts'
import { theme } from '../shared/theme.ts'
import { whenSeen } from '../shared/when-seen.ts'
import { type InboxTexts, inboxTexts } from '../texts/inbox-texts.ts'
import { bellStyles } from './bell-styles.ts'
import { createInboxFeed, followNetwork, type InboxFeed, type News } from './inbox-feed.ts'
import { emptyInbox, type InboxState, type Listing, shown } from './inbox-state.ts'
import { itemStyles } from './item-styles.ts'
import { keysStyles } from './keys-styles.ts'
import { createListFocus } from './list-focus.ts'
import { createListScrolling } from './list-scrolling.ts'
import { panelStyles } from './panel-styles.ts'
import { type PanelView, panelView } from './panel-view.ts'

/**
 * A bell with the number of unread notifications and a live list below it.
 *
 * @fires herald-open-notification - `{ notification, href }`: a notification was opened. It is marked as read unless prevented.
 * @fires herald-notification - `{ notification }`: a notification has arrived.
 * @fires herald-unread-count - `{ unreadCount }`: the number has changed.
 * @fires herald-error - `{ error, during }`: `list`, `mark` or `stream` failed.
 */
export class HeraldInbox extends HeraldElement {
  static override styles = [theme, avatarStyles, stateStyles, bellStyles, panelStyles, itemStyles, keysStyles]
  static override properties: PropertyDeclarations = {
    texts: { attribute: false },
    hrefOf: { attribute: false },
    imageOf: { attribute: false },
    state: { state: true },
    notice: { state: true },
    isOpen: { state: true },
    wasOpened: { state: true },
    fresh: { state: true },
    isScrolled: { state: true },
    showsKeys: { state: true },
  }

  /** Replaces texts. */
  declare texts: Partial<InboxTexts> | undefined
  /**
   * Returns the URL of a notification, which makes it a link. The browser follows the link unless prevented. Only http, https
   * and relative addresses become links.
   */
  declare hrefOf: ((notification: Notification) => string | undefined) | undefined
  /**
   * Returns the address of the actor's picture, in place of the publisher's: through a proxy, or only from trusted hosts.
   * Without an address the initials are shown. Only http, https and relative addresses are loaded.
   */
  declare imageOf: ((notification: Notification) => string | undefined) | undefined
  declare private state: InboxState
  declare private notice: PanelView['notice']
  declare private isOpen: boolean
  /** The panel stays rendered after it was opened once, so that it can fade out. */
  declare private wasOpened: boolean
  /** Ids of notifications that arrived while the list was open. */
  declare private fresh: ReadonlySet<string>
  declare private isScrolled: boolean
  declare private showsKeys: boolean

  readonly #ids = () => shown(this.state).items.map(({ notification }) => notification.id)
  readonly #scrolling = createListScrolling(this, {
    ids: this.#ids,
    onScroll: (isScrolled) => {
      this.isScrolled = isScrolled
      if (!isScrolled && this.fresh.size > 0) this.fresh = new Set()
    },
  })
  readonly #focus = createListFocus(this, {
    ids: this.#ids,
    scrolling: this.#scrolling,
    onKey: (event, focusedId) => this.#onKey(event, focusedId),
  })
  #feed: InboxFeed | undefined
  #emittedCount: number | undefined
  #following = new AbortController()

  constructor() {
    super()
    this.state = emptyInbox
    this.isOpen = false
    this.wasOpened = false
    this.isScrolled = false
    this.showsKeys = false
    this.fresh = new Set()
    const end = () => ({ sentinel: this.renderRoot.querySelector('.sentinel'), scroller: this.#scrolling.scroller() })
    whenSeen(this, end, () => void this.#feed?.more())
  }

  /** The number on the bell; `undefined` until it is known. */
  get unreadCount(): number | undefined {
    return shown(this.state).unreadCount
  }

  get open(): boolean {
    return this.isOpen
  }

  show(): void {
    if (!this.isOpen) this.#panel?.showPopover()
  }

  hide(): void {
    if (this.isOpen) this.#panel?.hidePopover()
  }

  /** Fetches the list again. */
  async refresh(): Promise<void> {
    await this.#feed?.refresh()
  }

  protected connect({ notifications }: HeraldClient): void {
    const onChange = (state: InboxState) => {
      this.state = state
    }
    const feed = createInboxFeed({ notifications, onChange, onNews: (news) => this.#onNews(news) })
    this.#feed = feed
    this.#following = new AbortController()
    const { signal } = this.#following
    followNetwork(feed, signal)
    window.addEventListener('resize', () => this.#place(), { signal })
    window.addEventListener('scroll', () => this.#place(), { signal, capture: true, passive: true })
    feed.start()
    if (this.isOpen) void feed.list('all')
  }

  protected disconnect(): void {
    this.#following.abort()
    this.#feed?.stop()
    this.#feed = undefined
    this.state = emptyInbox
  }

  protected override render() {
    const { state, isOpen, wasOpened, currentLocale: locale } = this
    const texts = this.#texts
    const { unreadCount } = shown(state)
    const label = texts.bell(unreadCount)
    return html`<button
        class="bell ${state.connection === 'offline' ? 'away' : ''}"
        part="bell"
        type="button"
        lang=${this.language.tag}
        popovertarget="panel"
        aria-haspopup="dialog"
        aria-expanded=${isOpen}
        aria-controls="panel"
        aria-label=${label}
        title=${label}
      >
        <slot name="bell">${bellIcon()}</slot>
        ${unreadCount ? badgeView(unreadCount, texts) : nothing}
      </button>
      <div
        id="panel"
        class="panel"
        part="panel"
        popover="auto"
        lang=${this.language.tag}
        role="dialog"
        aria-labelledby="title"
        tabindex="-1"
        @beforetoggle=${this.#beforeToggle}
        @toggle=${this.#onToggle}
        @keydown=${this.#focus.onKeyDown}
      >
        ${wasOpened ? panelView({ locale, texts, ...this.#panelState(), ...this.#panelActions() }) : nothing}
      </div>
      <div class="hidden" role="status" aria-live="polite" lang=${this.language.tag}>${this.spoken}</div>`
  }

  get #texts(): InboxTexts {
    return { ...inboxTexts, ...this.language.texts.inbox, ...this.texts }
  }

  #panelState() {
    const { state, hrefOf, imageOf, isScrolled, showsKeys, notice, fresh } = this
    const now = new Date()
    return {
      state,
      ...shown(state),
      range: this.#scrolling.rendered,
      currentId: this.#focus.currentId,
      hrefOf,
      imageOf,
      isScrolled,
      showsKeys,
      notice,
      fresh,
      now,
    }
  }

  #panelActions() {
    return {
      onFilter: (listing: Listing) => void this.#feed?.list(listing),
      onRetry: () => void this.#feed?.list(this.state.listing),
      onMore: () => void this.#feed?.more(),
      onMarkAll: () => void this.#feed?.markAll(),
      onMark: (id: string, read: boolean) => void this.#feed?.mark(id, read),
      onOpen: (notification: Notification, href: string | undefined, event: Event) =>
        this.#openNotification(notification, href, event),
      onClose: () => this.hide(),
      onToggleKeys: () => {
        this.showsKeys = !this.showsKeys
      },
      onDismiss: () => {
        this.notice = undefined
      },
      onScroll: this.#scrolling.moved,
      onToTop: () => this.#scrolling.scroller()?.scrollTo({ top: 0, behavior: 'smooth' }),
      onFocus: (id: string) => {
        this.#focus.currentId = id
      },
    }
  }

  protected override updated(changed: PropertyValues): void {
    const { unreadCount } = this
    if (changed.has('state') && unreadCount !== undefined && unreadCount !== this.#emittedCount) {
      this.#emittedCount = unreadCount
      this.emit('herald-unread-count', { unreadCount })
    }
  }

  get #panel(): HTMLElement | null {
    return this.renderRoot.querySelector('#panel')
  }

  #place(): void {
    const bell = this.renderRoot.querySelector<HTMLElement>('.bell')
    if (!this.isOpen || !bell || !this.#panel) return
    placeBelow(bell, this.#panel)
    this.#scrolling.moved()
  }

  #beforeToggle(event: ToggleEvent): void {
    this.isOpen = event.newState === 'open'
    if (!this.isOpen) {
      this.#focus.restoreTo('.bell')
      return
    }
    this.wasOpened = true
    this.notice = undefined
    const { phase, listing } = this.state
    if (phase === 'idle' || phase === 'failed') void this.#feed?.list(listing)
  }

  async #onToggle(event: ToggleEvent): Promise<void> {
    if (event.newState === 'closed') {
      this.fresh = new Set()
      this.isScrolled = false
      this.showsKeys = false
      return
    }
    await this.updateComplete
    this.#scrolling.scroller()?.scrollTo(0, 0)
    this.#place()
    this.#focus.toPanel()
  }

  #onKey({ key, target }: KeyboardEvent, focusedId: string | undefined): boolean {
    if (key === 'Escape' && this.showsKeys) this.showsKeys = false
    else if (key === '?') this.showsKeys = !this.showsKeys
    else if (focusedId !== undefined && key === 'u') this.#toggleRead(focusedId)
    else if (key === 'Enter' && (target as HTMLElement).localName === 'article') {
      ;(target as HTMLElement).querySelector<HTMLElement>('.open')?.click()
    } else return false
    return true
  }

  #toggleRead(id: string): void {
    const isRead = this.#isRead(id)
    if (isRead !== undefined) void this.#feed?.mark(id, !isRead)
  }

  /** As it is shown, with marks that are not confirmed yet. */
  #isRead(id: string): boolean | undefined {
    return shown(this.state).items.find(({ notification }) => notification.id === id)?.isRead
  }

  #openNotification(notification: Notification, href: string | undefined, event: Event): void {
    if (!this.emit('herald-open-notification', { notification, href })) {
      event.preventDefault()
      return
    }
    if (this.#isRead(notification.id) === false) void this.#feed?.mark(notification.id, true)
  }

  #onNews(news: News): void {
    const texts = this.#texts
    if (news.kind === 'arrived') this.#onArrival(news.notification)
    else if (news.kind === 'all-marked') this.announce(texts.allMarked)
    else if (news.kind === 'offline') this.announce(texts.offline)
    else if (news.kind === 'online') this.announce(texts.online)
    else if ('error' in news) this.#onFailure(news.kind, news.error)
  }

  #onArrival(notification: Notification): void {
    const { arrived } = this.#texts
    if (this.isOpen) this.fresh = new Set([...this.fresh, notification.id])
    this.announce(arrived(notification.actor.name || notification.metadata.mention.mentionerName))
    this.emit('herald-notification', { notification })
  }

  #onFailure(kind: 'mark-failed' | 'list-failed' | 'stream-refused', error: unknown): void {
    const { markFailed, failedTitle } = this.#texts
    if (kind === 'mark-failed') {
      this.notice = kind
      this.announce(markFailed)
    } else if (kind === 'list-failed') this.announce(failedTitle)
    const during = { 'mark-failed': 'mark', 'list-failed': 'list', 'stream-refused': 'stream' }[kind]
    this.emit('herald-error', { error, during })
  }
}

/** Keyed by the number, so that each change is animated. */
function badgeView(unreadCount: number, texts: InboxTexts) {
  return keyed(
    unreadCount,
    html`<span class="badge" part="badge" aria-hidden="true">${texts.badge(unreadCount)}</span>`,
  )
}
