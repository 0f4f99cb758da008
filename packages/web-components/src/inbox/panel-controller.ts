import type { Mute, MuteTarget } from '@herald/client'
import type { LitElement } from 'lit'
import type { InboxTexts } from '../texts/inbox-texts.ts'
import type { InboxFeed } from './inbox-feed.ts'
import { type InboxState, type Listing, nameOfActor, shown } from './inbox-state.ts'
import { createListFocus } from './list-focus.ts'
import { createListScrolling } from './list-scrolling.ts'
import { createMutes, type Mutes, type MutesDependencies } from './mutes.ts'
import type { PanelState } from './panel-model.ts'
import { createRowActions } from './row-actions.ts'
import { createSwipes } from './swipes.ts'
import type { News } from './user-inbox.ts'

export type PanelDependencies = {
  readonly state: () => InboxState
  readonly feed: () => InboxFeed | undefined
  readonly texts: () => InboxTexts
  readonly nameOf: (target: MuteTarget) => string | undefined
  readonly isOpen: () => boolean
  readonly announce: (text: string) => void
  readonly emit: (name: string, detail: object) => boolean
  readonly hide: () => void
}

const closed: PanelState = {
  notice: undefined,
  done: undefined,
  fresh: new Set(),
  newSince: undefined,
  isScrolled: false,
  showsKeys: false,
  menuKey: undefined,
  mutes: undefined,
}

/** Controls everything in the panel besides the list. */
export function createPanel(
  host: LitElement & { readonly renderRoot: HTMLElement | DocumentFragment },
  dependencies: PanelDependencies,
) {
  const { state, feed, texts, nameOf, announce, emit } = dependencies
  let panel = closed
  let mutes: Mutes | undefined

  function set(change: Partial<PanelState>): void {
    panel = { ...panel, ...change }
    host.requestUpdate()
  }

  const ids = () => (panel.mutes ? [] : shown(state()).rows.map(({ key }) => key))
  const scrolling = createListScrolling(host, {
    ids,
    onScroll(isScrolled) {
      const fresh = isScrolled ? panel.fresh : closed.fresh
      if (isScrolled !== panel.isScrolled || fresh !== panel.fresh) set({ isScrolled, fresh })
    },
  })
  const focus = createListFocus(host, { ids, scrolling, onKey })
  const rows = createRowActions({
    state,
    feed,
    texts,
    nameOf,
    announce,
    mutes: () => mutes,
    onOpen: (notification, href) => emit('herald-open-notification', { notification, href }),
    onActed: () => set({ menuKey: undefined }),
  })
  const swipes = createSwipes((key, towards) => {
    const row = rows.find(key)
    if (row) (towards === 'start' ? rows.archive : rows.toggleRead)(row)
  })
  const onUndo = () => void focus.toItem(rows.undo())

  function onKey({ key, target }: KeyboardEvent, focusedKey: string | undefined): boolean {
    const row = rows.find(focusedKey)
    if (key === 'Escape' && panel.menuKey) set({ menuKey: undefined })
    else if (key === '?' || (key === 'Escape' && panel.showsKeys)) set({ showsKeys: !panel.showsKeys })
    else if (key === 'z' && state().undoable) onUndo()
    else if (row && key === 'u') rows.toggleRead(row)
    else if (row && key === 'e') rows.archive(row)
    else if (row && key === 'm') {
      set({ menuKey: row.key })
      void focus.toItem(row.key, '.menu [role=group] button')
    } else if (key === 'Enter' && (target as HTMLElement).localName === 'article') {
      ;(target as HTMLElement).querySelector<HTMLElement>('.open')?.click()
    } else return false
    return true
  }

  function onFailed(during: 'mark' | 'mute', notice: string, error: unknown): void {
    set({ notice })
    announce(notice)
    emit('herald-error', { error, during })
  }

  function onMuted(target: MuteTarget, name: string): void {
    const text = texts().muted(name)
    announce(text)
    const onUndo = () => {
      set({ done: undefined })
      void mutes?.unmute(target)
    }
    set({ done: { text, onUndo } })
  }

  async function onUnmute(mute: Mute): Promise<void> {
    const place = panel.mutes?.mutes.indexOf(mute) ?? 0
    if (!(await mutes?.unmute(mute))) return
    await host.updateComplete
    const buttons = [...host.renderRoot.querySelectorAll<HTMLElement>('.mutes button')]
    const next = buttons[Math.min(place, buttons.length - 1)]
    if (next) next.focus()
    else focus.toPanel()
  }

  const onLoadMutes = () => void mutes?.load()

  return {
    focus,
    scrolling,
    connect(client: MutesDependencies['client']): void {
      mutes = createMutes({
        client,
        nameOf,
        onMuted,
        onChange: (mutes) => set({ mutes }),
        onFailed: (error, isTooMany) => onFailed('mute', isTooMany ? texts().tooManyMutes : texts().markFailed, error),
      })
    },
    onOpen: () => set({ notice: undefined }),
    onClosed(): void {
      mutes?.close()
      set(closed)
    },
    /** Keeps what was seen before, while newer ones are marked as seen. */
    see(): void {
      const { phase, seenUpTo } = state()
      if (!dependencies.isOpen() || phase !== 'ready' || seenUpTo === undefined || document.hidden) return
      if (panel.newSince === undefined) set({ newSince: seenUpTo ?? '' })
      void feed()?.see()
    },
    onNews(news: News): void {
      const { allMarked, offline, online, markFailed, failedTitle, arrived } = texts()
      if (news.kind === 'arrived') {
        const { notification } = news
        if (dependencies.isOpen()) set({ fresh: new Set([...panel.fresh, notification.id]) })
        announce(arrived(nameOfActor(notification)))
        emit('herald-notification', { notification })
      } else if (news.kind === 'mark-failed') onFailed('mark', markFailed, news.error)
      else if ('error' in news) {
        if (news.kind === 'list-failed') announce(failedTitle)
        emit('herald-error', { error: news.error, during: news.kind === 'list-failed' ? 'list' : 'stream' })
      } else announce({ 'all-marked': allMarked, offline, online }[news.kind])
    },
    /** For the view. */
    view: () => ({
      ...panel,
      done: state().undoable ? { text: texts().archived, onUndo } : panel.done,
      range: scrolling.rendered,
      sketchHeight: scrolling.sketchHeight,
      currentKey: focus.currentId,
      swipes,
      feed,
      actions: rows,
      set,
      onFilter(listing: Listing) {
        mutes?.close()
        void feed()?.list(listing)
      },
      onMore: () => void feed()?.more(),
      onToggleMutes: () => (panel.mutes ? mutes?.close() : onLoadMutes()),
      onLoadMutes,
      onUnmute: (mute: Mute) => void onUnmute(mute),
      onClose: dependencies.hide,
      onScroll: scrolling.moved,
      onToTop: () => scrolling.scroller()?.scrollTo({ top: 0, behavior: 'smooth' }),
      onFocus(key: string) {
        focus.currentId = key
      },
    }),
  }
}
