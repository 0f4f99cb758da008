import type { ReactiveControllerHost } from 'lit'
import { isPlainKey, placeAfter } from './feed-keys.ts'
import type { ListScrolling } from './list-scrolling.ts'

type Host = ReactiveControllerHost & { readonly renderRoot: HTMLElement | DocumentFragment }

export type ListFocusOptions = {
  /** Ids of the whole list, in its order. */
  readonly ids: () => readonly string[]
  readonly scrolling: Pick<ListScrolling, 'show'>
  /** @returns whether the key did something; `focusedId` is the item that has the focus, if any */
  readonly onKey: (event: KeyboardEvent, focusedId: string | undefined) => boolean
}

/** Moves the focus within the list by keys, and keeps it in the panel when the focused item leaves. */
export function createListFocus(host: Host, { ids, scrolling, onKey }: ListFocusOptions) {
  let currentId: string | undefined
  let before: { readonly id: string | undefined; readonly place: number } | undefined
  const root = () => host.renderRoot as ShadowRoot
  const panel = () => root().querySelector<HTMLElement>('#panel')
  const article = (id: string) => root().querySelector<HTMLElement>(`article[data-id="${id}"]`)
  const focusedId = () => root().activeElement?.closest<HTMLElement>('article')?.dataset.id
  const toPanel = () => panel()?.focus({ preventScroll: true })
  const isInside = () => panel()?.contains(root().activeElement) === true
  let shownIds: readonly string[] = []

  async function toPlace(place: number): Promise<void> {
    const id = ids()[place]
    if (id === undefined) return toPanel()
    currentId = id
    if (article(id) === null) await scrolling.show(place)
    article(id)?.focus()
  }

  function move({ key, shiftKey }: KeyboardEvent): boolean {
    const all = ids()
    // One that had the focus until it was scrolled out of the rendered part.
    const leftId = currentId !== undefined && article(currentId) === null ? currentId : undefined
    const at = all.indexOf(focusedId() ?? leftId ?? '')
    const place = shiftKey ? undefined : placeAfter(key, at, all.length - 1)
    if (place === undefined || all.length === 0) return false
    void toPlace(place)
    return true
  }

  host.addController({
    hostUpdate() {
      const id = focusedId()
      before = isInside() ? { id, place: shownIds.indexOf(id ?? '') } : undefined
    },
    hostUpdated() {
      shownIds = ids()
      if (!before || isInside()) return
      const { id, place } = before
      const item = id === undefined ? null : article(id)
      // The neighbour of an item that left the list gets the focus. After one that was scrolled away, keys continue from its place.
      if (item) item.focus({ preventScroll: true })
      else if (id === undefined || shownIds.includes(id)) toPanel()
      else void toPlace(Math.min(place, shownIds.length - 1))
    },
  })

  return {
    get currentId() {
      return currentId
    },
    set currentId(id: string | undefined) {
      currentId = id
      host.requestUpdate()
    },
    toPanel,
    /** Focuses an item, or a part of it, once it is rendered; the panel if it is not in the list. */
    async toItem(id: string, selector?: string): Promise<void> {
      await host.updateComplete
      await toPlace(ids().indexOf(id))
      if (selector) article(id)?.querySelector<HTMLElement>(selector)?.focus()
    },
    onKeyDown(event: KeyboardEvent): void {
      if (isPlainKey(event) && (move(event) || onKey(event, focusedId()))) event.preventDefault()
    },
    /** Chromium restores the focus itself, but not within a shadow root. */
    restoreTo(selector: string): void {
      if (isInside()) root().querySelector<HTMLElement>(selector)?.focus({ preventScroll: true })
    },
  }
}
