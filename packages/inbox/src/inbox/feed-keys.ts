const steps: Readonly<Record<string, (at: number, last: number) => number>> = {
  PageDown: (at) => at + 1,
  PageUp: (at) => at - 1,
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_at, last) => last,
}

/**
 * Moves the focus from one article of a feed to another (ARIA Authoring Practices, feed pattern: Page Up and Page Down;
 * arrows, Home and End besides). Returns whether the key was one of these.
 */
export function moveInFeed(event: KeyboardEvent, feed: HTMLElement): boolean {
  const step = steps[event.key]
  if (!step || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false
  const articles = [...feed.querySelectorAll<HTMLElement>('article')]
  const focused = (feed.getRootNode() as ShadowRoot).activeElement
  const at = articles.findIndex((article) => article.contains(focused))
  // From outside the list the arrows lead into it; Home and End are left to what has the focus.
  const next = at < 0 ? (event.key === 'ArrowDown' || event.key === 'PageDown' ? 0 : -1) : step(at, articles.length - 1)
  const article = articles[next]
  if (!article) return at >= 0
  article.focus()
  return true
}
