import type { Mute, MuteTarget, Notification } from '@herald/client'
import type { InboxTexts } from '../texts/inbox-texts.ts'
import type { InboxFeed } from './inbox-feed.ts'
import type { InboxState, Listing, Row } from './inbox-state.ts'
import type { ListRange } from './list-window.ts'
import type { MutesState } from './mutes.ts'
import type { RowActions } from './row-actions.ts'
import type { Swipes } from './swipes.ts'

/** Everything in the panel besides the list. */
export type PanelState = {
  /** A failure. */
  readonly notice: string | undefined
  /** The last action, which can be undone. */
  readonly done: { readonly text: string; readonly onUndo: () => void } | undefined
  /** Ids of notifications that arrived while the list was open. */
  readonly fresh: ReadonlySet<string>
  /** The newest notification that was seen when the panel was opened. */
  readonly newSince: string | undefined
  readonly isScrolled: boolean
  readonly showsKeys: boolean
  /** The line whose menu is open. */
  readonly menuKey: string | undefined
  /** The list of mutes, in place of the notifications. */
  readonly mutes: MutesState | undefined
}

export type PanelView = PanelState & {
  readonly state: InboxState
  readonly rows: readonly Row[]
  /** The rows that are rendered. */
  readonly range: ListRange
  /** The height in pixels of a row that is only sketched. */
  readonly sketchHeight: (key: string) => number | undefined
  readonly unreadCount: number | undefined
  readonly currentKey: string | undefined
  readonly hrefOf: ((notification: Notification) => string | undefined) | undefined
  readonly imageOf: ((notification: Notification) => string | undefined) | undefined
  readonly nameOf: ((target: MuteTarget) => string | undefined) | undefined
  readonly locale: string
  readonly now: Date
  readonly texts: InboxTexts
  readonly feed: () => InboxFeed | undefined
  readonly actions: RowActions
  readonly swipes: Swipes
  readonly set: (change: Partial<PanelState>) => void
  readonly onFilter: (listing: Listing) => void
  readonly onMore: () => void
  readonly onFocus: (key: string) => void
  readonly onScroll: () => void
  readonly onToTop: () => void
  readonly onToggleMutes: () => void
  readonly onLoadMutes: () => void
  readonly onUnmute: (mute: Mute) => void
  readonly onClose: () => void
}
