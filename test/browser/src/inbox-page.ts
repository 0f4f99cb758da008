import type { Page } from 'playwright-core'

/** Locators of the parts of `<herald-inbox>`. */
export function inboxOf(page: Page) {
  const inbox = page.locator('herald-inbox')
  const panel = inbox.locator('[role=dialog]')
  const items = panel.locator('article')
  return {
    bell: inbox.locator('button.bell'),
    badge: inbox.locator('.badge'),
    panel,
    items,
    first: items.first(),
    spoken: inbox.locator('[role=status]'),
    isUnread: (index: number) => items.nth(index).locator('.dot').isVisible(),
    /** Opens the list and waits for its first item. */
    async open(): Promise<void> {
      await inbox.locator('button.bell').click()
      await items.first().waitFor()
    },
    /** Waits until the stream has sent the counts. */
    untilConnected: () =>
      inbox.evaluate(
        (element) =>
          new Promise<void>((resolve) => {
            const { unreadCount } = element as HTMLElement & { unreadCount?: number }
            if (unreadCount !== undefined) resolve()
            else element.addEventListener('herald-unread-count', () => resolve(), { once: true })
          }),
      ),
    /** Waits until the bell shows this number, or no number for 0. */
    async untilUnread(count: number): Promise<void> {
      const name = count === 0 ? 'Notifications' : `Notifications, ${count} unread`
      await inbox.locator(`button.bell[aria-label="${name}"]`).waitFor()
    },
  }
}
