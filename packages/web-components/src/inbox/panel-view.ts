import { isHeraldProblem, type Notification } from '@herald/client'
import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import {
  arrowUpIcon,
  checksIcon,
  closeIcon,
  emptyInboxIcon,
  keyboardIcon,
  offlineIcon,
  warningIcon,
} from '../shared/icons.ts'
import { safeAddress } from '../shared/safe-address.ts'
import { emptyView, endView, failedView, failureNoticeView, loadingView, noticeView } from '../shared/state-views.ts'
import type { InboxTexts } from '../texts/inbox-texts.ts'
import type { InboxState, Listing } from './inbox-state.ts'
import { itemView } from './item-view.ts'
import { keysView } from './keys-view.ts'
import type { ListRange } from './list-window.ts'

export type PanelView = {
  readonly state: InboxState
  readonly items: readonly { readonly notification: Notification; readonly isRead: boolean }[]
  /** The items that are rendered. */
  readonly range: ListRange
  readonly unreadCount: number | undefined
  readonly notice: 'mark-failed' | undefined
  readonly fresh: ReadonlySet<string>
  readonly currentId: string | undefined
  readonly isScrolled: boolean
  readonly showsKeys: boolean
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
  readonly onScroll: () => void
  readonly onToTop: () => void
  readonly onDismiss: () => void
  readonly onToggleKeys: () => void
  readonly onClose: () => void
}

/** The panel that the bell opens. */
export function panelView(view: PanelView): TemplateResult {
  return html`${headerView(view)} ${view.showsKeys ? keysView(view.texts) : nothing} ${noticesView(view)}
    <div class="scroller" part="list" @scroll=${view.onScroll}>${newAboveView(view)} ${bodyView(view)}</div>`
}

function headerView({ state, texts, unreadCount, showsKeys, onClose, onFilter, onMarkAll, onToggleKeys }: PanelView) {
  const filter = (listing: Listing, text: string, count?: number) =>
    html`<button type="button" aria-pressed=${state.listing === listing} @click=${() => onFilter(listing)}>
      ${text} ${count ? html`<span class="count">${count}</span>` : nothing}
    </button>`
  return html`<div class="head" part="header">
    <div class="title">
      <h2 id="title">${texts.title}</h2>
      <button
        class="round with-keyboard"
        type="button"
        aria-label=${texts.keys}
        aria-expanded=${showsKeys}
        aria-controls="keys"
        title="${texts.keys} (?)"
        @click=${onToggleKeys}
      >
        ${keyboardIcon()}
      </button>
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
  const isRefused = state.connection === 'refused' && state.phase === 'ready'
  return html`${isAway ? noticeView(offlineIcon(), texts.offline) : nothing}
  ${isRefused ? noticeView(warningIcon(), texts.notLive) : nothing}
  ${notice === 'mark-failed' ? failureNoticeView(texts.markFailed, texts.dismiss, onDismiss) : nothing}`
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
    const text = isRefused ? texts.refusedText : texts.failedText
    return failedView({ title: texts.failedTitle, text, button: { label: texts.retry, onClick: onRetry } })
  }
  if (state.phase !== 'ready') return loadingView(texts.loading, 5)
  if (state.items.length === 0 && state.nextCursor === null) {
    return state.listing === 'all'
      ? emptyView({ picture: emptyInboxIcon(), title: texts.emptyTitle, text: texts.emptyText })
      : emptyView({ picture: emptyInboxIcon(), title: texts.emptyUnreadTitle, text: texts.emptyUnreadText })
  }
  return listView(view)
}

function listView(view: PanelView) {
  const { state, items, range, fresh, currentId, hrefOf, imageOf, locale, now, texts, onFocus } = view
  const rendered = items.slice(range.start, range.end)
  const current = rendered.some(({ notification }) => notification.id === currentId)
    ? currentId
    : rendered[0]?.notification.id
  const total = state.nextCursor === null ? items.length : -1
  const focused = (event: FocusEvent) => {
    const id = (event.target as HTMLElement).closest('article')?.dataset.id
    if (id !== undefined) onFocus(id)
  }
  return html`<div style="height:${range.above}px"></div>
    <div role="feed" aria-labelledby="title" aria-busy=${state.more === 'loading'} @focusin=${focused}>
      ${repeat(
        rendered,
        ({ notification }) => notification.id,
        ({ notification, isRead }, index) => {
          const href = safeAddress(hrefOf?.(notification))
          const image = imageOf ? imageOf(notification) : notification.actor.image
          return itemView({
            notification,
            isRead,
            href,
            image,
            locale,
            now,
            texts,
            total,
            isFresh: fresh.has(notification.id),
            isCurrent: notification.id === current,
            position: range.start + index + 1,
            onOpen: (event) => view.onOpen(notification, href, event),
            onMark: (read) => view.onMark(notification.id, read),
          })
        },
      )}
    </div>
    <div style="height:${range.below}px"></div>
    ${endView(view)}`
}
