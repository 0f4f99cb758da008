import type { Page } from 'playwright-core'

/** Scrolls to the end of the list until all of it is loaded. */
export function loadAll(page: Page): Promise<void> {
  return page.locator('herald-inbox').evaluate(async (inbox) => {
    const root = inbox.shadowRoot as ShadowRoot
    const scroller = root.querySelector('.scroller') as HTMLElement
    while (root.querySelector('.sentinel')) {
      scroller.scrollTop = scroller.scrollHeight
      await new Promise(requestAnimationFrame)
    }
  })
}

/**
 * Scrolls to a part of the whole height, 0 to 1, and waits for two frames.
 *
 * @returns the whole height, and whether there is a notification, or the end of the list, in the middle of the visible part
 */
export function scrollTo(page: Page, part: number): Promise<{ height: number; isCovered: boolean }> {
  return page.locator('herald-inbox').evaluate(async (inbox, part) => {
    const root = inbox.shadowRoot as ShadowRoot
    const scroller = root.querySelector('.scroller') as HTMLElement
    scroller.scrollTop = part * (scroller.scrollHeight - scroller.clientHeight)
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
    const { left, top, width, height } = scroller.getBoundingClientRect()
    const middle = root.elementFromPoint(left + width / 2, top + height / 2)
    return { height: scroller.scrollHeight, isCovered: middle?.closest('article, .end') instanceof HTMLElement }
  }, part)
}
