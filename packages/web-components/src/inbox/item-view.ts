import type { Notification } from '@herald/client'
import { html, nothing, type TemplateResult } from 'lit'
import { avatar } from '../shared/avatar.ts'
import { checkIcon, unreadIcon } from '../shared/icons.ts'
import { fullTime, relativeTime } from '../shared/relative-time.ts'
import type { InboxTexts } from '../texts/inbox-texts.ts'

export type ItemView = {
  readonly notification: Notification
  readonly isRead: boolean
  /** Whether it arrived while the list was open. */
  readonly isFresh: boolean
  /** Whether Tab focuses it (roving tabindex); arrow keys focus the others. */
  readonly isCurrent: boolean
  readonly position: number
  readonly total: number
  readonly href: string | undefined
  /** Address of the actor's picture. */
  readonly image: string | undefined
  readonly locale: string
  readonly now: Date
  readonly texts: InboxTexts
  readonly onOpen: (event: Event) => void
  readonly onMark: (read: boolean) => void
}

/** One notification, as an article of a feed (ARIA Authoring Practices, feed pattern). */
export function itemView(item: ItemView): TemplateResult {
  const { notification, isRead, isFresh, isCurrent, position, total, image, locale, now, texts } = item
  const { id, actor, actorType, metadata } = notification
  const createdAt = new Date(notification.createdAt)
  const where = texts.where(notification)
  const tabindex = isCurrent ? 0 : -1
  const label = isRead ? texts.markUnread : texts.markRead
  return html`<article
    part=${isRead ? 'item' : 'item item-unread'}
    class="${isRead ? '' : 'unread'} ${isFresh ? 'fresh' : ''}"
    data-id=${id}
    tabindex=${tabindex}
    aria-posinset=${position}
    aria-setsize=${total}
    aria-labelledby="what-${id} state-${id}"
    aria-describedby="snippet-${id} meta-${id}"
  >
    ${isRead ? nothing : html`<span class="dot" part="dot"></span>`}
    ${avatar({ name: actor.name, image, isAi: actorType === 'ai user' })}
    <div>
      ${openable(item, tabindex)}
      <p class="snippet" part="snippet" id="snippet-${id}" dir="auto">${metadata.mention.snippet}</p>
      <p class="meta" part="meta" id="meta-${id}">
        <time datetime=${notification.createdAt} title=${fullTime(createdAt, locale)}
          >${relativeTime(createdAt, now, locale)}</time
        >${where === '' ? nothing : html`<span class="where">${where}</span>`}
      </p>
    </div>
    <div class="side">
      <span class="hidden" id="state-${id}">${isRead ? '' : texts.isUnread}</span>
      <button
        class="round mark"
        part="mark"
        type="button"
        tabindex=${tabindex}
        title=${label}
        aria-label=${label}
        aria-describedby="what-${id}"
        @click=${() => item.onMark(!isRead)}
      >
        ${isRead ? unreadIcon() : checkIcon()}
      </button>
    </div>
  </article>`
}

function openable({ notification, href, texts, onOpen }: ItemView, tabindex: number) {
  const { id, actor, metadata } = notification
  const name = actor.name || metadata.mention.mentionerName
  const content = html`<b><bdi>${name}</bdi></b> <span class="did">${texts.did(notification)}</span>`
  if (href === undefined) {
    return html`<button class="open" part="open" type="button" id="what-${id}" tabindex=${tabindex} @click=${onOpen}>
      ${content}
    </button>`
  }
  return html`<a class="open" part="open" href=${href} id="what-${id}" tabindex=${tabindex} @click=${onOpen}>${content}</a>`
}
