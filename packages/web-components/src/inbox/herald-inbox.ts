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
import { bellStyles } from './bell-styles.ts'
import { moveInFeed } from './feed-keys.ts'
import { createInboxFeed, type InboxFeed, type News } from './inbox-feed.ts'
import { emptyInbox, type InboxState, type Listing, shown } from './inbox-state.ts'
import { type InboxTexts, inboxTexts } from './inbox-texts.ts'
import { itemStyles } from './item-styles.ts'
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
  static override styles = [theme, avatarStyles, stateStyles, bellStyles, panelStyles, itemStyles]
  static override properties: PropertyDeclarations = {
    texts: { attribute: false },
    hrefOf: { attribute: false },
    imageOf: { attribute: false },
    state: { state: true },
    notice: { state: true },
    isOpen: { state: true },
    wasOpened: { state: true },
    currentId: { state: true },
    fresh: { state: true },
    isScrolled: { state: true },
  }

  /** Replaces English texts. */
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
  declare private currentId: string | undefined
  /** Ids of notifications that arrived while the list was open. */
  declare private fresh: ReadonlySet<string>
  declare private isScrolled: boolean

  #feed: InboxFeed | undefined
  #emittedCount: number | undefined
  #following = new AbortController()

  constructor() {
    super()
    this.state = emptyInbox
    this.isOpen = false
    this.wasOpened = false
    this.isScrolled = false
    this.fresh = new Set()
    const end = () => ({ sentinel: this.renderRoot.querySelector('.sentinel'), scroller: this.#scroller })
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
    window.addEventListener('online', () => feed.reconnect(), { signal })
    window.addEventListener('offline', () => feed.setOffline(), { signal })
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
    const { state, isOpen, wasOpened, notice, fresh, locale } = this
    const texts = { ...inboxTexts, ...this.texts }
    const { unreadCount, items } = shown(state)
    const label = texts.bell(unreadCount)
    return html`<button
        class="bell ${state.connection === 'offline' ? 'away' : ''}"
        part="bell"
        type="button"
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
        role="dialog"
        aria-labelledby="title"
        tabindex="-1"
        @beforetoggle=${this.#beforeToggle}
        @toggle=${this.#onToggle}
        @keydown=${this.#onKeyDown}
      >
        ${wasOpened ? panelView({ state, items, unreadCount, notice, fresh, locale, texts, ...this.#panelActions() }) : nothing}
      </div>
      <div class="hidden" role="status" aria-live="polite">${this.spoken}</div>`
  }

  #panelActions() {
    const { currentId, hrefOf, imageOf, isScrolled } = this
    return {
      currentId,
      hrefOf,
      imageOf,
      isScrolled,
      now: new Date(),
      onFilter: (listing: Listing) => void this.#feed?.list(listing),
      onRetry: () => void this.#feed?.list(this.state.listing),
      onMore: () => void this.#feed?.more(),
      onMarkAll: () => void this.#feed?.markAll(),
      onMark: (id: string, read: boolean) => void this.#feed?.mark(id, read),
      onOpen: (notification: Notification, href: string | undefined, event: Event) =>
        this.#openNotification(notification, href, event),
      onClose: () => this.hide(),
      onDismiss: () => {
        this.notice = undefined
      },
      onScroll: (event: Event) => this.#onScroll(event.currentTarget as HTMLElement),
      onToTop: () => this.#scroller?.scrollTo({ top: 0, behavior: 'smooth' }),
      onFocus: (id: string) => {
        this.currentId = id
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

  get #scroller(): HTMLElement | null {
    return this.renderRoot.querySelector('.scroller')
  }

  #place(): void {
    const bell = this.renderRoot.querySelector<HTMLElement>('.bell')
    if (this.isOpen && bell && this.#panel) placeBelow(bell, this.#panel)
  }

  #beforeToggle(event: ToggleEvent): void {
    this.isOpen = event.newState === 'open'
    if (!this.isOpen) {
      this.#restoreFocus()
      return
    }
    this.wasOpened = true
    this.notice = undefined
    const { phase, listing } = this.state
    if (phase === 'idle' || phase === 'failed') void this.#feed?.list(listing)
  }

  /** Chromium restores the focus itself, but not within a shadow root. */
  #restoreFocus(): void {
    const { activeElement } = this.renderRoot as ShadowRoot
    if (activeElement && this.#panel?.contains(activeElement)) {
      this.renderRoot.querySelector<HTMLElement>('.bell')?.focus({ preventScroll: true })
    }
  }

  async #onToggle(event: ToggleEvent): Promise<void> {
    if (event.newState === 'closed') {
      this.fresh = new Set()
      this.isScrolled = false
      return
    }
    await this.updateComplete
    this.#place()
    this.#scroller?.scrollTo(0, 0)
    this.#panel?.focus({ preventScroll: true })
  }

  #onKeyDown(event: KeyboardEvent): void {
    const feed = this.renderRoot.querySelector<HTMLElement>('[role=feed]')
    if (feed && moveInFeed(event, feed)) event.preventDefault()
  }

  #onScroll(scroller: HTMLElement): void {
    this.isScrolled = scroller.scrollTop > 80
    if (!this.isScrolled && this.fresh.size > 0) this.fresh = new Set()
  }

  #openNotification(notification: Notification, href: string | undefined, event: Event): void {
    if (!this.emit('herald-open-notification', { notification, href })) {
      event.preventDefault()
      return
    }
    if (notification.readAt === null) void this.#feed?.mark(notification.id, true)
  }

  #onNews(news: News): void {
    const texts = { ...inboxTexts, ...this.texts }
    if (news.kind === 'arrived') this.#onArrival(news.notification)
    else if (news.kind === 'all-marked') this.announce(texts.allMarked)
    else if (news.kind === 'offline') this.announce(texts.offline)
    else if (news.kind === 'online') this.announce(texts.online)
    else if ('error' in news) this.#onFailure(news.kind, news.error)
  }

  #onArrival(notification: Notification): void {
    const { arrived } = { ...inboxTexts, ...this.texts }
    if (this.isOpen) this.fresh = new Set([...this.fresh, notification.id])
    this.announce(arrived(notification.actor.name || notification.metadata.mention.mentionerName))
    this.emit('herald-notification', { notification })
  }

  #onFailure(kind: 'mark-failed' | 'list-failed' | 'stream-refused', error: unknown): void {
    const { markFailed, failedTitle } = { ...inboxTexts, ...this.texts }
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
