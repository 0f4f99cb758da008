import type { HeraldClient, MuteTarget, Notification } from '@herald/client'
import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { avatarStyles } from '../shared/avatar.ts'
import { HeraldElement } from '../shared/herald-element.ts'
import { bellIcon } from '../shared/icons.ts'
import { placeBelow } from '../shared/place-below.ts'
import { stateStyles } from '../shared/state-styles.ts'
import { theme } from '../shared/theme.ts'
import { whenSeen } from '../shared/when-seen.ts'
import { type InboxTexts, inboxTexts } from '../texts/inbox-texts.ts'
import { bellStyles } from './bell-styles.ts'
import { createInboxFeed, followPage, type InboxFeed } from './inbox-feed.ts'
import { emptyInbox, type InboxState, shown } from './inbox-state.ts'
import { itemStyles } from './item-styles.ts'
import { keysStyles } from './keys-styles.ts'
import { createPanel } from './panel-controller.ts'
import { panelStyles } from './panel-styles.ts'
import { panelView } from './panel-view.ts'

/**
 * A bell with the number of unread notifications and a live list below it.
 *
 * @fires herald-open-notification - `{ notification, href }`: a notification was opened. It is marked as read unless prevented.
 * @fires herald-notification - `{ notification }`: a notification has arrived.
 * @fires herald-unread-count - `{ unreadCount, unseenCount }`: a number has changed.
 * @fires herald-error - `{ error, during }`: `list`, `mark`, `mute` or `stream` failed.
 */
export class HeraldInbox extends HeraldElement {
  static override styles = [theme, avatarStyles, stateStyles, bellStyles, panelStyles, itemStyles, keysStyles]
  static override properties: PropertyDeclarations = {
    texts: { attribute: false },
    hrefOf: { attribute: false },
    imageOf: { attribute: false },
    nameOf: { attribute: false },
    grouped: { type: Boolean },
    state: { state: true },
    isOpen: { state: true },
    wasOpened: { state: true },
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
  /** Returns the name of a location or an actor, such as the title of a document, if the page knows it. */
  declare nameOf: ((target: MuteTarget) => string | undefined) | undefined
  /** Shows the notifications of one location as one line. */
  declare grouped: boolean
  declare private state: InboxState
  declare private isOpen: boolean
  /** The panel stays rendered after it was opened once, so that it can fade out. */
  declare private wasOpened: boolean

  readonly #panel = createPanel(this, {
    state: () => this.state,
    feed: () => this.#feed,
    texts: () => this.#texts,
    nameOf: (target) => this.nameOf?.(target),
    isOpen: () => this.isOpen,
    announce: (text) => this.announce(text),
    emit: (name, detail) => this.emit(name, detail),
    hide: () => this.hide(),
  })
  #feed: InboxFeed | undefined
  #emitted = ''
  #following = new AbortController()

  constructor() {
    super()
    this.state = emptyInbox
    this.isOpen = false
    this.wasOpened = false
    this.grouped = false
    const end = () => ({
      sentinel: this.renderRoot.querySelector('.sentinel'),
      scroller: this.#panel.scrolling.scroller(),
    })
    whenSeen(this, end, () => void this.#feed?.more())
  }

  /** The number of unread notifications; `undefined` until it is known. */
  get unreadCount(): number | undefined {
    return shown(this.state).unreadCount
  }

  /** The number of those among them that have come since the list was last opened. */
  get unseenCount(): number | undefined {
    return this.state.unseenCount
  }

  get open(): boolean {
    return this.isOpen
  }

  show(): void {
    if (!this.isOpen) this.#popover?.showPopover()
  }

  hide(): void {
    if (this.isOpen) this.#popover?.hidePopover()
  }

  /** Fetches the list again. */
  async refresh(): Promise<void> {
    await this.#feed?.refresh()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    // A browser closes the popover of a removed element without an event.
    this.isOpen = false
  }

  protected connect(client: HeraldClient): void {
    const { notifications, session } = client
    const { grouped } = this
    const onChange = (state: InboxState) => {
      this.state = state
    }
    const isShown = () => this.isOpen
    const feed = createInboxFeed({ notifications, session, grouped, isShown, onChange, onNews: this.#panel.onNews })
    this.#feed = feed
    this.#panel.connect(client)
    this.#following = new AbortController()
    const { signal } = this.#following
    followPage(feed, signal)
    window.addEventListener('resize', () => this.#place(), { signal })
    window.addEventListener('scroll', () => this.#place(), { signal, capture: true, passive: true })
    feed.start()
    if (this.isOpen) void feed.list('all')
  }

  protected disconnect(): void {
    this.#following.abort()
    this.#feed?.stop()
    this.#panel.onClosed()
    this.#feed = undefined
    this.state = emptyInbox
  }

  protected override onToken(): void {
    this.#feed?.notice('token')
  }

  protected override render(): TemplateResult {
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
        @keydown=${this.#panel.focus.onKeyDown}
      >
        ${wasOpened ? this.#panelView(locale, texts) : nothing}
      </div>
      <div class="hidden" role="status" aria-live="polite" lang=${this.language.tag}>${this.spoken}</div>`
  }

  get #texts(): InboxTexts {
    return { ...inboxTexts, ...this.language.texts.inbox, ...this.texts }
  }

  #panelView(locale: string, texts: InboxTexts) {
    const { state, hrefOf, imageOf, nameOf } = this
    const view = { ...shown(state), ...this.#panel.view() }
    return panelView({ state, hrefOf, imageOf, nameOf, locale, texts, now: new Date(), ...view })
  }

  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed)
    if (changed.has('grouped')) void this.#feed?.group(this.grouped)
  }

  protected override updated(changed: PropertyValues): void {
    const { unreadCount, unseenCount } = this
    const counts = { unreadCount, unseenCount }
    if (changed.has('state') && unreadCount !== undefined && this.#emitted !== JSON.stringify(counts)) {
      this.#emitted = JSON.stringify(counts)
      this.emit('herald-unread-count', counts)
    }
    this.#panel.see()
  }

  get #popover(): HTMLElement | null {
    return this.renderRoot.querySelector('#panel')
  }

  #place(): void {
    const bell = this.renderRoot.querySelector<HTMLElement>('.bell')
    if (!this.isOpen || !bell || !this.#popover) return
    placeBelow(bell, this.#popover)
    this.#panel.scrolling.moved()
  }

  #beforeToggle(event: ToggleEvent): void {
    this.isOpen = event.newState === 'open'
    if (!this.isOpen) {
      this.#panel.focus.restoreTo('.bell')
      return
    }
    this.wasOpened = true
    this.#panel.onOpen()
    const { phase, listing, connection } = this.state
    this.#feed?.notice('opened')
    if (phase === 'idle' || phase === 'failed' || connection !== 'live') void this.#feed?.list(listing)
  }

  async #onToggle(event: ToggleEvent): Promise<void> {
    if (event.newState === 'closed') {
      this.#panel.onClosed()
      return
    }
    await this.updateComplete
    this.#panel.scrolling.scroller()?.scrollTo(0, 0)
    this.#place()
    this.#panel.focus.toPanel()
  }
}

/** Keyed by the number, so that each change is animated. */
function badgeView(unreadCount: number, texts: InboxTexts) {
  return repeat(
    [unreadCount],
    String,
    () => html`<span class="badge" part="badge" aria-hidden="true">${texts.badge(unreadCount)}</span>`,
  )
}
