import type { ReactiveController, ReactiveControllerHost } from 'lit'

/** Calls `onSeen` when the end of a list comes into view, and again for each new sentinel in view. */
export function whenSeen(
  host: ReactiveControllerHost,
  end: () => { sentinel: Element | null; scroller: Element | null },
  onSeen: () => void,
): void {
  let observer: IntersectionObserver | undefined
  let watched: Element | null = null
  const controller: ReactiveController = {
    hostUpdated() {
      const { sentinel, scroller } = end()
      if (sentinel === watched) return
      observer?.disconnect()
      watched = sentinel
      if (!sentinel) return
      const seen = (entries: IntersectionObserverEntry[]) => entries.at(-1)?.isIntersecting && onSeen()
      observer = new IntersectionObserver(seen, { root: scroller, rootMargin: '0px 0px 320px 0px' })
      observer.observe(sentinel)
    },
    hostDisconnected() {
      observer?.disconnect()
      watched = null
    },
  }
  host.addController(controller)
}
