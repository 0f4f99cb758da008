const steps: Readonly<Record<string, (at: number, last: number) => number>> = {
  PageDown: (at) => at + 1,
  PageUp: (at) => at - 1,
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_at, last) => last,
}

/**
 * Moves the focus between the articles of a feed: Page Up and Page Down (ARIA Authoring Practices, feed pattern), and also
 * arrows, Home and End. Returns whether the key was handled.
 */
export function moveInFeed(event: KeyboardEvent, feed: HTMLElement): boolean {
  const step = steps[event.key]
  if (!step || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false
  const articles = [...feed.querySelectorAll<HTMLElement>('article')]
  const focused = (feed.getRootNode() as ShadowRoot).activeElement
  const at = articles.findIndex((article) => article.contains(focused))
  // Outside the list, Arrow Down and Page Down enter it; other keys are left to the focused element.
  const next = at < 0 ? (event.key === 'ArrowDown' || event.key === 'PageDown' ? 0 : -1) : step(at, articles.length - 1)
  const article = articles[next]
  if (!article) return at >= 0
  article.focus()
  return true
}
