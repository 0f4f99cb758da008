import type { ReactiveControllerHost } from 'lit'
import { createListWindow, type ListRange, type Viewport } from './list-window.ts'

type Host = ReactiveControllerHost & { readonly renderRoot: HTMLElement | DocumentFragment }

export type ListScrollingOptions = {
  /** Ids of the whole list, in its order. */
  readonly ids: () => readonly string[]
  readonly onScroll: (isScrolled: boolean) => void
}

/** Scrolling is fast if more pixels lie between two scroll events: about 60 items a second, which nobody can read. */
const fast = 100
/** How long after fast scrolling everything is rendered whole. */
const restMs = 120

export type ListScrolling = ReturnType<typeof createListScrolling>

/** Decides which part of the list is rendered, and keeps what is visible in place while the list changes above it. */
export function createListScrolling(host: Host, { ids, onScroll }: ListScrollingOptions) {
  const list = createListWindow()
  let viewport: Viewport = { top: 0, height: 640 }
  let rendered: ListRange = { start: 0, end: 0, above: 0, below: 0 }
  let anchor: ReturnType<typeof firstVisible>
  let whole: ReadonlySet<string> = new Set()
  let untilRest: ReturnType<typeof setTimeout> | undefined
  const scroller = () => host.renderRoot.querySelector<HTMLElement>('.scroller')

  function moved(): void {
    const element = scroller()
    if (!element) return
    if (Math.abs(element.scrollTop - viewport.top) > fast) {
      clearTimeout(untilRest)
      untilRest = setTimeout(rest, restMs)
    }
    viewport = { top: element.scrollTop, height: element.clientHeight }
    const { start, end } = list.range(ids(), viewport)
    if (start !== rendered.start || end !== rendered.end) host.requestUpdate()
    onScroll(element.scrollTop > 80)
  }

  function rest(): void {
    untilRest = undefined
    host.requestUpdate()
  }

  const isWhole = ({ dataset: { id = '' } }: HTMLElement) => whole.has(id)

  function measure(): void {
    const articles = [...host.renderRoot.querySelectorAll<HTMLElement>('article')].filter(isWhole)
    // A closed panel has no heights.
    if (rendered.above + rendered.below === 0 || !articles[0]?.offsetHeight) return
    list.measure(new Map(articles.map(({ dataset, offsetHeight }) => [String(dataset.id), offsetHeight])))
  }

  host.addController({
    hostUpdate() {
      anchor = firstVisible(scroller())
      const all = ids()
      rendered = list.range(all, viewport)
      const shown = all.slice(rendered.start, rendered.end)
      whole = new Set(untilRest === undefined ? shown : shown.filter((id) => whole.has(id)))
    },
    hostDisconnected() {
      clearTimeout(untilRest)
      untilRest = undefined
    },
    hostUpdated() {
      if (anchor) keepInPlace(scroller(), anchor)
      measure()
    },
  })

  return {
    get rendered() {
      return rendered
    },
    /**
     * The height in pixels of an item that is only sketched, because it came while the list was scrolled fast: to render it whole
     * takes longer than a frame has. `undefined` for those that are whole.
     */
    sketchHeight: (id: string) => (whole.has(id) ? undefined : list.heightOf(id)),
    scroller,
    /** Call after the list was scrolled or its size has changed. */
    moved,
    /** Scrolls to a place of the list, so that it is rendered. */
    async show(place: number): Promise<void> {
      const element = scroller()
      if (!element) return
      element.scrollTop = list.offsetOf(ids(), place)
      // A jump is not fast scrolling.
      viewport = { ...viewport, top: element.scrollTop }
      moved()
      await host.updateComplete
    },
  }
}

/** The first visible item of a list that was scrolled, and its distance from the top. */
function firstVisible(scroller: HTMLElement | null) {
  if (!scroller || scroller.scrollTop === 0) return undefined
  const { top } = scroller.getBoundingClientRect()
  const articles = [...scroller.querySelectorAll('article')]
  const first = articles.find((article) => article.getBoundingClientRect().bottom > top)
  return first && { first, distance: first.getBoundingClientRect().top - top }
}

/** Scrolls by as much as the item was moved by changes above it. */
function keepInPlace(scroller: HTMLElement | null, { first, distance }: NonNullable<ReturnType<typeof firstVisible>>) {
  if (!scroller || !first.isConnected) return
  const moved = first.getBoundingClientRect().top - scroller.getBoundingClientRect().top - distance
  if (Math.abs(moved) >= 1) scroller.scrollTop += moved
}
