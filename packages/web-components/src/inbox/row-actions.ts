import type { MuteTarget, Notification } from '@herald/client'
import type { TemplateResult } from 'lit'
import type { InboxTexts } from '../texts/inbox-texts.ts'
import type { InboxFeed } from './inbox-feed.ts'
import { type InboxState, nameOfActor, type Row, shown } from './inbox-state.ts'
import { itemMenu } from './item-menu.ts'
import type { Mutes } from './mutes.ts'

export type RowActionsDependencies = {
  readonly state: () => InboxState
  readonly feed: () => InboxFeed | undefined
  readonly mutes: () => Mutes | undefined
  readonly texts: () => InboxTexts
  readonly nameOf: (target: MuteTarget) => string | undefined
  readonly announce: (text: string) => void
  /** @returns whether the page has not prevented it */
  readonly onOpen: (notification: Notification, href: string | undefined) => boolean
  /** Something was done by the menu or beside it. */
  readonly onActed: () => void
}

export type RowActions = {
  readonly find: (key: string | undefined) => Row | undefined
  readonly toggleRead: (row: Row) => void
  readonly archive: (row: Row) => void
  /** Takes back the latest archive; returns its line. */
  readonly undo: () => string
  readonly open: (row: Row, href: string | undefined, event: Event) => void
  readonly menu: (row: Row) => TemplateResult
}

/** The actions of a reader on a line of the list. */
export function createRowActions(dependencies: RowActionsDependencies): RowActions {
  const { state, feed, texts, nameOf, onActed } = dependencies
  let archivedKey = ''

  function toggleRead({ notification, isRead, group }: Row): void {
    onActed()
    if (group && !isRead) void feed()?.markGroup(group)
    else void feed()?.mark(notification.id, !isRead)
  }

  function archive({ notification: { id }, group, key }: Row): void {
    onActed()
    if (state().listing === 'archived') return void feed()?.unarchive(id)
    archivedKey = key
    dependencies.announce(texts().archived)
    void (group ? feed()?.archiveGroup(group) : feed()?.archive(id))
  }

  return {
    find: (key: string | undefined) => shown(state()).rows.find((row) => row.key === key),
    toggleRead,
    archive,
    undo(): string {
      feed()?.undo()
      return archivedKey
    },
    open({ notification, isRead, group, key }: Row, href: string | undefined, event: Event): void {
      if (group) void feed()?.toggleGroup(key)
      else if (!dependencies.onOpen(notification, href)) event.preventDefault()
      else if (!isRead) void feed()?.mark(notification.id, true, true)
    },
    menu(row: Row): TemplateResult {
      const { notification, isRead } = row
      const { actor, locationId } = notification
      const place = { kind: 'location', id: locationId } as const
      const { markUnread, markRead, unarchive, archive: toArchive, place: thisPlace } = texts()
      return itemMenu({
        texts: texts(),
        targets: [
          { ...place, name: nameOf(place) || thisPlace(notification) },
          { kind: 'actor', id: actor.id, name: nameOfActor(notification) },
        ],
        actions: [
          { label: isRead ? markUnread : markRead, onClick: () => toggleRead(row) },
          { label: state().listing === 'archived' ? unarchive : toArchive, onClick: () => archive(row) },
        ],
        onMute(target, name, milliseconds) {
          onActed()
          void dependencies.mutes()?.mute(target, name, milliseconds)
        },
      })
    },
  }
}
