import { html, nothing, type TemplateResult } from 'lit'
import { avatar } from '../shared/avatar.ts'
import { archiveIcon, checkIcon, moreIcon, unreadIcon } from '../shared/icons.ts'
import { fullTime, relativeTime } from '../shared/relative-time.ts'
import { safeAddress } from '../shared/safe-address.ts'
import { keyOf } from './groups.ts'
import { nameOfActor, type Row } from './inbox-state.ts'
import type { PanelView } from './panel-model.ts'

/** One notification, or several of one location, as an article of a feed (ARIA Authoring Practices, feed pattern). */
export function itemView(view: PanelView, row: Row, index: number, isCurrent: boolean): TemplateResult {
  const { state, rows, newSince, menuKey, imageOf, locale, now, texts, actions, set } = view
  const { key, notification, isRead, group } = row
  const { id, actor, actorType, metadata, createdAt, mutedAt } = notification
  const time = new Date(createdAt)
  // Tab focuses one of them (roving tabindex); arrow keys focus the others.
  const tabindex = isCurrent ? 0 : -1
  const isNew = newSince !== undefined && id > newSince && !isRead
  const isArchived = state.listing === 'archived'
  const archive = isArchived ? texts.unarchive : texts.archive
  const mark = isRead ? texts.markUnread : texts.markRead
  const isOpen = menuKey === key
  const onMore = moreOf(view, row, rows[index + 1])
  const button = (part: string, label: string, icon: TemplateResult, onClick: () => void) => html`<button
    class="round act ${part}"
    part=${part}
    type="button"
    tabindex=${tabindex}
    title=${label}
    aria-label=${label}
    aria-describedby="what-${key}"
    aria-expanded=${part === 'more' ? isOpen : nothing}
    @click=${onClick}
  >
    ${icon}
  </button>`
  const height = view.sketchHeight(key)
  const content = () => html`${isRead ? nothing : html`<span class="dot" part="dot"></span>`}
    ${avatar({ name: actor.name, image: imageOf ? imageOf(notification) : actor.image, isAi: actorType === 'ai user' })}
    <div>
      ${openable(view, row, tabindex)}
      <p class="snippet" part="snippet" id="snippet-${key}" dir="auto">${metadata.mention.snippet}</p>
      <p class="meta" part="meta" id="meta-${key}">
        ${isNew ? html`<b class="new" part="new">${texts.isNew}</b>` : nothing}
        <time datetime=${createdAt} title=${fullTime(time, locale)}
          >${relativeTime(time, now, locale)}</time
        >${[group && texts.count(group.count), texts.where(notification), mutedAt && texts.mutes].map((text) =>
          text ? html`<span class="where">${text}</span>` : nothing,
        )}
      </p>
      ${onMore ? html`<button class="button quiet" type="button" @click=${onMore}>${texts.loadMore}</button>` : nothing}
      ${isOpen ? actions.menu(row) : nothing}
    </div>
    <div class="side">
      <span class="hidden" id="state-${key}">${isRead ? '' : texts.isUnread}</span>
      ${isArchived ? nothing : button('mark', mark, isRead ? unreadIcon() : checkIcon(), () => actions.toggleRead(row))}
      ${button('archive', archive, archiveIcon(), () => actions.archive(row))} ${button('more', texts.more, moreIcon(), () => set({ menuKey: isOpen ? undefined : key }))}
    </div>`
  return html`<article
    part=${isRead ? 'item' : 'item item-unread'}
    class="${isRead ? '' : 'unread'} ${view.fresh.has(id) ? 'fresh' : ''} ${row.isInGroup ? 'inner' : ''} ${height === undefined ? '' : 'sketch'}"
    .style=${height === undefined ? '' : `height:${height}px`}
    data-id=${key}
    data-start=${archive}
    data-end=${mark}
    tabindex=${tabindex}
    aria-posinset=${index + 1}
    aria-setsize=${state.nextCursor === null ? rows.length : -1}
    aria-labelledby="what-${key} state-${key}"
    aria-describedby="snippet-${key} meta-${key}"
  >
    ${height === undefined ? content() : html`<b id="what-${key}">${nameOfActor(notification)}</b>`}
  </article>`
}

/** Under the last one loaded of an opened group. */
function moreOf({ state, feed }: PanelView, { isInGroup, notification }: Row, next: Row | undefined) {
  const key = keyOf(notification)
  const group = isInGroup && !next?.isInGroup && state.groups?.find((group) => keyOf(group) === key)
  return group && group.items.length < group.count ? () => void feed()?.moreOf(key) : undefined
}

function openable({ hrefOf, nameOf, texts, actions }: PanelView, row: Row, tabindex: number) {
  const { key, notification, group } = row
  const href = safeAddress(hrefOf?.(notification))
  const place = nameOf?.({ kind: 'location', id: notification.locationId })
  const open = (event: Event) => actions.open(row, href, event)
  const [, second] = group?.actors ?? []
  const did = place ? texts.didIn(place, !!second) : texts.did(notification, !!second)
  const others = group && second ? `${texts.andOthers(second.name, group.actors.length - 1 + group.otherActors)} ` : ''
  const content = html`<b><bdi>${nameOfActor(notification)}</bdi></b> <span class="did">${others}${did}</span>`
  if (href === undefined || group) {
    return html`<button
      class="open"
      part="open"
      type="button"
      id="what-${key}"
      tabindex=${tabindex}
      aria-expanded=${group ? group.isOpen : nothing}
      @click=${open}
    >
      ${content}
    </button>`
  }
  return html`<a class="open" part="open" href=${href} id="what-${key}" tabindex=${tabindex} @click=${open}>${content}</a>`
}
