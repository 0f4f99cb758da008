import { isHeraldProblem, type Notification } from '@herald/client'
import { html, nothing, type TemplateResult } from 'lit'
import { keyed } from 'lit/directives/keyed.js'
import { repeat } from 'lit/directives/repeat.js'
import type { InboxState, Listing } from '../feed/inbox-state.ts'
import { arrowUpIcon, checksIcon, closeIcon, emptyInboxIcon, offlineIcon, warningIcon } from '../look/icons.ts'
import { safeAddress } from '../look/safe-address.ts'
import type { InboxTexts } from './inbox-texts.ts'
import { itemView } from './item-view.ts'

export type PanelView = {
  readonly state: InboxState
  readonly items: readonly { readonly notification: Notification; readonly isRead: boolean }[]
  readonly unreadCount: number | undefined
  readonly notice: 'mark-failed' | undefined
  readonly fresh: ReadonlySet<string>
  readonly currentId: string | undefined
  readonly isScrolled: boolean
  readonly hrefOf: ((notification: Notification) => string | undefined) | undefined
  readonly imageOf: ((notification: Notification) => string | undefined) | undefined
  readonly locale: string
  readonly now: Date
  readonly texts: InboxTexts
  readonly onFilter: (listing: Listing) => void
  readonly onRetry: () => void
  readonly onMore: () => void
  readonly onMarkAll: () => void
  readonly onMark: (id: string, read: boolean) => void
  readonly onOpen: (notification: Notification, href: string | undefined, event: Event) => void
  readonly onFocus: (id: string) => void
  readonly onScroll: (event: Event) => void
  readonly onToTop: () => void
  readonly onDismiss: () => void
  readonly onClose: () => void
}

/** The panel that the bell opens. */
export function panelView(view: PanelView): TemplateResult {
  return html`${headerView(view)} ${noticesView(view)}
    <div class="scroller" part="list" @scroll=${view.onScroll}>${newAboveView(view)} ${bodyView(view)}</div>`
}

function headerView({ state, texts, unreadCount, onClose, onFilter, onMarkAll }: PanelView) {
  const filter = (listing: Listing, text: string, count?: number) =>
    html`<button type="button" aria-pressed=${state.listing === listing} @click=${() => onFilter(listing)}>
      ${text} ${count ? html`<span class="count">${count}</span>` : nothing}
    </button>`
  return html`<div class="head" part="header">
    <div class="title">
      <h2 id="title">${texts.title}</h2>
      <button class="round" type="button" aria-label=${texts.close} title=${texts.close} @click=${onClose}>
        ${closeIcon(18)}
      </button>
    </div>
    <div class="bar">
      <div class="filter" role="group" aria-label=${texts.filter}>
        ${filter('all', texts.all)} ${filter('unread', texts.unread, unreadCount)}
      </div>
      <button
        class="button quiet mark-all"
        part="mark-all"
        type="button"
        ?disabled=${!unreadCount || state.items.length === 0}
        @click=${onMarkAll}
      >
        ${checksIcon()} ${texts.markAll}
      </button>
    </div>
  </div>`
}

function noticesView({ state, notice, texts, onDismiss }: PanelView) {
  const isAway = state.connection === 'offline' && state.phase !== 'failed'
  return html`${
    isAway ? html`<div class="notice" part="notice">${offlineIcon()}<p>${texts.offline}</p></div>` : nothing
  }${
    state.connection === 'refused' && state.phase === 'ready'
      ? html`<div class="notice" part="notice">${warningIcon()}<p>${texts.notLive}</p></div>`
      : nothing
  }${
    notice === 'mark-failed'
      ? html`<div class="notice bad" part="notice">
          ${warningIcon()}
          <p>${texts.markFailed}</p>
          <button class="round" type="button" aria-label=${texts.dismiss} title=${texts.dismiss} @click=${onDismiss}>
            ${closeIcon()}
          </button>
        </div>`
      : nothing
  }`
}

function newAboveView({ fresh, isScrolled, texts, onToTop }: PanelView) {
  if (!isScrolled || fresh.size === 0) return nothing
  return html`<button class="new-above" part="new-above" type="button" @click=${onToTop}>
    ${arrowUpIcon()} ${texts.newAbove(fresh.size)}
  </button>`
}

function bodyView(view: PanelView) {
  const { state, texts, onRetry } = view
  if (state.phase === 'failed') {
    const isRefused = isHeraldProblem(state.error) && (state.error.status === 401 || state.error.status === 403)
    return html`<div class="message bad" part="error">
      <span class="picture">${warningIcon(28)}</span><strong>${texts.failedTitle}</strong>
      <p>${isRefused ? texts.refusedText : texts.failedText}</p>
      <button class="button" type="button" @click=${onRetry}>${texts.retry}</button>
    </div>`
  }
  if (state.phase !== 'ready') {
    const line = html`<div class="placeholder">
      <i class="skeleton"></i><i class="skeleton"></i><i class="skeleton"></i>
    </div>`
    return html`<div class="loading" part="loading" role="group" aria-busy="true" aria-label=${texts.loading}>
      ${Array.from({ length: 5 }, () => line)}
    </div>`
  }
  if (state.items.length === 0 && state.nextCursor === null) {
    const isAll = state.listing === 'all'
    return html`<div class="message" part="empty">
      <span class="picture">${emptyInboxIcon()}</span>
      <strong>${isAll ? texts.emptyTitle : texts.emptyUnreadTitle}</strong>
      <p>${isAll ? texts.emptyText : texts.emptyUnreadText}</p>
    </div>`
  }
  return listView(view)
}

function listView(view: PanelView) {
  const { state, items, fresh, currentId, hrefOf, imageOf, locale, now, texts, onFocus } = view
  const current = items.some(({ notification }) => notification.id === currentId)
    ? currentId
    : items[0]?.notification.id
  const total = state.nextCursor === null ? items.length : -1
  const focused = (event: FocusEvent) => {
    const id = (event.target as HTMLElement).closest('article')?.dataset.id
    if (id !== undefined) onFocus(id)
  }
  return html`<div role="feed" aria-labelledby="title" aria-busy=${state.more === 'loading'} @focusin=${focused}>
      ${repeat(
        items,
        ({ notification }) => notification.id,
        ({ notification, isRead }, index) => {
          const href = safeAddress(hrefOf?.(notification))
          const image = imageOf ? imageOf(notification) : notification.actor.image
          return itemView({
            ...{ notification, isRead, href, image, locale, now, texts, total },
            isFresh: fresh.has(notification.id),
            isCurrent: notification.id === current,
            position: index + 1,
            onOpen: (event) => view.onOpen(notification, href, event),
            onMark: (read) => view.onMark(notification.id, read),
          })
        },
      )}
    </div>
    ${endView(view)}`
}

function endView({ state, texts, onMore }: PanelView) {
  if (state.more === 'failed') {
    return html`<div class="end">
      ${texts.moreFailed}<button class="button" type="button" @click=${onMore}>${texts.retry}</button>
    </div>`
  }
  if (state.nextCursor === null) return html`<div class="end">${texts.noMore}</div>`
  // Keyed by the cursor: a new sentinel for each page is observed even if it is already in view.
  return html`${keyed(state.nextCursor, html`<div class="sentinel"></div>`)}
    <div class="end"><i class="spinner"></i><span class="hidden">${texts.loadingMore}</span></div>`
}
