import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { closeIcon, warningIcon } from './icons.ts'

export type MessageView = {
  readonly picture: TemplateResult
  readonly title: string
  readonly text?: string | undefined
  readonly button?: { readonly label: string; readonly onClick: () => void } | undefined
}

/** Shown in place of an empty list. */
export const emptyView = (message: MessageView): TemplateResult => messageView(message, false)

/** Shown in place of a list that could not be loaded. */
export const failedView = (message: Omit<MessageView, 'picture'>): TemplateResult =>
  messageView({ ...message, picture: warningIcon(28) }, true)

function messageView({ picture, title, text, button }: MessageView, isBad: boolean) {
  return html`<div class="message ${isBad ? 'bad' : ''}" part=${isBad ? 'error' : 'empty'}>
    <span class="picture">${picture}</span><strong>${title}</strong>
    <p>${text}</p>
    ${button ? html`<button class="button" type="button" @click=${button.onClick}>${button.label}</button>` : nothing}
  </div>`
}

/** Outlines of items while the first page is loading. */
export function loadingView(label: string, count: number): TemplateResult {
  const item = html`<div class="placeholder"><i class="skeleton"></i><i class="skeleton"></i><i class="skeleton"></i></div>`
  return html`<div role="group" part="loading" aria-busy="true" aria-label=${label}>
    ${Array.from({ length: count }, () => item)}
  </div>`
}

/** A lasting condition, such as no connection. */
export const noticeView = (icon: TemplateResult, text: string): TemplateResult =>
  html`<div class="notice" part="notice">${icon}<p>${text}</p></div>`

/** A failure that the user dismisses. */
export function failureNoticeView(text: string, dismiss: string, onDismiss: () => void): TemplateResult {
  return html`<div class="notice bad" part="notice">
    ${warningIcon()}
    <p>${text}</p>
    <button class="round" type="button" aria-label=${dismiss} title=${dismiss} @click=${onDismiss}>${closeIcon()}</button>
  </div>`
}

export type EndView = {
  readonly state: { readonly more: 'idle' | 'loading' | 'failed'; readonly nextCursor: string | null }
  readonly texts: Readonly<Record<'moreFailed' | 'retry' | 'noMore' | 'loadingMore', string>>
  readonly onMore: () => void
}

/** The end of a list: the next page is loading or failed, or there is none. */
export function endView({ state, texts, onMore }: EndView): TemplateResult {
  if (state.more === 'failed') {
    return html`<div class="end">
      ${texts.moreFailed}<button class="button" type="button" @click=${onMore}>${texts.retry}</button>
    </div>`
  }
  if (state.nextCursor === null) return html`<div class="end">${texts.noMore}</div>`
  // Keyed by the cursor: a new sentinel for each page is observed even if it is already in view.
  return html`${repeat([state.nextCursor], String, () => html`<div class="sentinel"></div>`)}
    <div class="end"><i class="spinner"></i><span class="hidden">${texts.loadingMore}</span></div>`
}
