import { isHeraldProblem } from '@herald/client'
import { html, nothing, type TemplateResult } from 'lit'
import {
  arrowUpIcon,
  checksIcon,
  closeIcon,
  emptyInboxIcon,
  keyboardIcon,
  mutedIcon,
  offlineIcon,
  warningIcon,
} from '../shared/icons.ts'
import { emptyView, failedView, failureNoticeView, loadingView, noticeView } from '../shared/state-views.ts'
import type { Listing } from './inbox-state.ts'
import { keysView } from './keys-view.ts'
import { listView } from './list-view.ts'
import { mutesView } from './mutes-view.ts'
import type { PanelView } from './panel-model.ts'

/** The panel that the bell opens. */
export function panelView(view: PanelView): TemplateResult {
  return html`${headerView(view)} ${view.showsKeys ? keysView(view.texts) : nothing} ${noticesView(view)}
    <div class="scroller" part="list" @scroll=${view.onScroll}>${newAboveView(view)} ${view.mutes ? mutesView(view, view.mutes) : bodyView(view)}</div>
    ${doneView(view)}`
}

function headerView(view: PanelView) {
  const { state, rows, texts, unreadCount, showsKeys, mutes, set, onClose, onFilter } = view
  const filter = (listing: Listing, text: string, count?: number) =>
    html`<button
      type="button"
      aria-pressed=${state.listing === listing && !mutes}
      @click=${() => onFilter(listing)}
    >
      ${text} ${count ? html`<span class="count">${count}</span>` : nothing}
    </button>`
  const canMark = unreadCount && rows.length > 0 && state.listing !== 'archived' && !mutes
  return html`<div class="head" part="header">
    <div class="title">
      <h2 id="title">${texts.title}</h2>
      <button
        class="round"
        part="mutes-button"
        type="button"
        aria-label=${texts.mutes}
        aria-pressed=${mutes !== undefined}
        title=${texts.mutes}
        @click=${view.onToggleMutes}
      >
        ${mutedIcon()}
      </button>
      <button
        class="round with-keyboard"
        type="button"
        aria-label=${texts.keys}
        aria-expanded=${showsKeys}
        aria-controls="keys"
        title="${texts.keys} (?)"
        @click=${() => set({ showsKeys: !showsKeys })}
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
        ${filter('archived', texts.archived)}
      </div>
      <button
        class="button quiet mark-all"
        part="mark-all"
        type="button"
        ?disabled=${!canMark}
        @click=${() => void view.feed()?.markAll()}
      >
        ${checksIcon()} ${texts.markAll}
      </button>
    </div>
  </div>`
}

function noticesView({ state, notice, texts, set }: PanelView) {
  const isAway = state.connection === 'offline' && state.phase !== 'failed'
  const isReady = state.phase === 'ready'
  const isRefused = state.connection === 'refused' && isReady
  const isPolling = state.connection === 'polling' && isReady
  return html`${isAway ? noticeView(offlineIcon(), texts.offline) : nothing}
  ${isRefused ? noticeView(warningIcon(), texts.notLive) : nothing}
  ${isPolling ? noticeView(offlineIcon(), texts.polling) : nothing}
  ${notice ? failureNoticeView(notice, texts.dismiss, () => set({ notice: undefined })) : nothing}`
}

/** Below the list, so that nothing moves under the pointer. */
function doneView({ done, texts }: PanelView) {
  if (!done) return nothing
  return html`<div class="notice done" part="done">
    <p>${done.text}</p>
    <button class="button quiet" type="button" @click=${done.onUndo}>${texts.undo}</button>
  </div>`
}

function newAboveView({ fresh, isScrolled, texts, onToTop }: PanelView) {
  if (!isScrolled || fresh.size === 0) return nothing
  return html`<button class="new-above" part="new-above" type="button" @click=${onToTop}>
    ${arrowUpIcon()} ${texts.newAbove(fresh.size)}
  </button>`
}

function bodyView(view: PanelView) {
  const { state, rows, texts, feed } = view
  if (state.phase === 'failed') {
    const isProblem = isHeraldProblem(state.error) && (state.error.status === 401 || state.error.status === 403)
    const isRefused = isProblem || state.connection === 'signed-out'
    const text = isRefused ? texts.refusedText : texts.failedText
    return failedView({
      title: texts.failedTitle,
      text,
      button: { label: texts.retry, onClick: () => void feed()?.list(state.listing) },
    })
  }
  if (state.phase !== 'ready') return loadingView(texts.loading, 5)
  if (rows.length > 0 || state.nextCursor !== null) return listView(view)
  const [title, text] = {
    all: [texts.emptyTitle, texts.emptyText],
    unread: [texts.emptyUnreadTitle],
    archived: [texts.emptyArchivedTitle],
  }[state.listing] as [string, string?]
  return emptyView({ picture: emptyInboxIcon(), title, text })
}
