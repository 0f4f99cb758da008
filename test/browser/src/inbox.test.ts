import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { accessibilityViolations } from './axe.ts'
import { inboxOf } from './inbox-page.ts'
import { prepareStage } from './prepare-stage.ts'
import { narrow, type Scheme, schemes, wide } from './stage.ts'

const stage = await prepareStage()

const asMei = () => ({ sub: stage.account.userId })
const openInbox = (options: BrowserContextOptions = {}, claims: object = asMei()) =>
  stage.openHost(['herald-inbox'], claims, options)

async function check(page: Page, name: string) {
  await stage.keepPicture(page, name)
  expect(await accessibilityViolations(page)).toEqual([])
}

describe.each(schemes)('accessible in every state, %s', (colorScheme: Scheme) => {
  const named = (state: string) => `inbox-${state}-${colorScheme}`

  test.each([
    ['wide', wide],
    ['narrow', narrow],
  ])('with read and unread notifications, %s', async (name, viewport) => {
    const page = await openInbox({ colorScheme, viewport })
    await check(page, named(`closed-${name}`))
    await inboxOf(page).open()
    await check(page, named(`list-${name}`))
    await page.context().close()
  })

  test('without notifications, and without unread ones', async () => {
    const page = await openInbox({ colorScheme }, { sub: randomUUID() })
    const { bell, panel } = inboxOf(page)
    await bell.click()
    await panel.getByText('Nothing here yet').waitFor()
    await check(page, named('empty'))
    await panel.getByRole('button', { name: 'Unread' }).click()
    await panel.getByText('You’re all caught up').waitFor()
    await check(page, named('empty-unread'))
    await page.context().close()
  })

  test('while loading', async () => {
    const page = await openInbox({ colorScheme })
    const { bell, panel, untilUnread, first } = inboxOf(page)
    await untilUnread(4)
    stage.herald.query.kill('SIGSTOP')
    try {
      await bell.click()
      await panel.getByRole('group', { name: 'Loading notifications' }).waitFor()
      await check(page, named('loading'))
    } finally {
      stage.herald.query.kill('SIGCONT')
    }
    await first.waitFor()
    await page.context().close()
  })

  test('undoes a mark while the server is down, and recovers', async () => {
    const page = await openInbox({ colorScheme })
    const inbox = inboxOf(page)
    await inbox.open()
    const failed = await openInbox({ colorScheme })
    await inboxOf(failed).untilUnread(4)
    await page.evaluate(() => {
      document.addEventListener('herald-error', (event) => {
        document.documentElement.dataset.error = (event as CustomEvent<{ during: string }>).detail.during
      })
    })
    const { query } = stage.herald
    // Frozen first: nothing is undone before that was looked at.
    query.kill('SIGSTOP')
    await inbox.first.getByRole('button', { name: 'Mark as read', exact: true }).click()
    expect(await inbox.isUnread(0)).toBe(false)
    await inbox.untilUnread(3)
    query.kill('SIGKILL')
    await query.exited
    await inbox.panel.getByText('Your change could not be saved and was undone.').waitFor()
    expect(await inbox.isUnread(0)).toBe(true)
    await inbox.untilUnread(4)
    expect(await page.locator('html').getAttribute('data-error')).toBe('mark')
    await check(page, named('mark-undone'))
    await inbox.panel.getByRole('button', { name: 'Dismiss' }).click()
    await inbox.panel.getByText('Your change could not be saved').waitFor({ state: 'detached' })

    const { bell, panel, first } = inboxOf(failed)
    await bell.click()
    await panel.getByText('Notifications could not be loaded').waitFor()
    await check(failed, named('failed'))
    // With the stream it would recover without the button.
    await failed.route('**/notifications/stream', (route) => route.abort())
    await query.restart()
    await panel.getByRole('button', { name: 'Try again' }).click()
    await first.waitFor()
    for (const open of [page, failed]) await open.context().close()
  })
})

test('the attribute `theme` overrides the system', async () => {
  const page = await openInbox({ colorScheme: 'light' })
  const inbox = inboxOf(page)
  await inbox.open()
  const background = () => inbox.panel.evaluate((panel) => getComputedStyle(panel).backgroundColor)
  const light = await background()
  await page.locator('herald-inbox').evaluate((element) => element.setAttribute('theme', 'dark'))
  expect(await background()).not.toBe(light)
  await page.locator('herald-inbox').evaluate((element: HTMLElement) => {
    element.style.setProperty('--herald-surface', 'rgb(1, 2, 3)')
  })
  expect(await background()).toBe('rgb(1, 2, 3)')
  await page.context().close()
})

test('is usable with only the keyboard', async () => {
  const page = await openInbox({}, { sub: stage.account.otherUserId })
  const { bell, panel, items, untilUnread } = inboxOf(page)
  const focused = () =>
    page.evaluate(() => {
      const element = document.querySelector('herald-inbox')?.shadowRoot?.activeElement
      return element && `${element.localName}.${element.className.trim().split(' ')[0]}`
    })
  const place = () => items.evaluateAll((all) => all.findIndex((item) => item.matches(':focus-within')))
  await untilUnread(4)
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('button.bell')
  await page.keyboard.press('Enter')
  await items.first().waitFor()
  await panel.and(page.locator(':focus')).waitFor()

  await page.keyboard.press('ArrowDown')
  expect(await place()).toBe(0)
  await page.keyboard.press('PageDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  expect(await place()).toBe(1)
  expect(await focused()).toMatch(/^article/)
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('button.open')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('button.round')
  await page.keyboard.press('Space')
  await untilUnread(3)
  expect(await place()).toBe(1)
  await page.keyboard.press('End')
  expect(await place()).toBeGreaterThan(15)
  await page.keyboard.press('Home')
  expect(await place()).toBe(0)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await untilUnread(2)
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'hidden' })
  expect(await focused()).toBe('button.bell')
  expect(await bell.getAttribute('aria-expanded')).toBe('false')
  await page.context().close()
})

test('the keyboard shortcuts are listed, and work', async () => {
  const user = randomUUID()
  await stage.mentionOften(user, 4)
  const page = await openInbox({}, { sub: user })
  const inbox = inboxOf(page)
  const keys = inbox.panel.getByRole('region', { name: 'Keyboard shortcuts' })
  await inbox.untilUnread(4)
  await inbox.open()
  await page.keyboard.press('?')
  await keys.getByText('mark as read or unread').waitFor()
  await check(page, 'inbox-keys')
  await page.keyboard.press('Escape')
  await keys.waitFor({ state: 'detached' })
  expect(await inbox.panel.isVisible()).toBe(true)
  await inbox.panel.getByRole('button', { name: 'Keyboard shortcuts' }).click()
  await keys.waitFor()
  await page.keyboard.press('?')
  await keys.waitFor({ state: 'detached' })

  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await page.keyboard.press('u')
  await inbox.untilUnread(3)
  expect(await inbox.isUnread(0)).toBe(false)
  await page.keyboard.press('u')
  await inbox.untilUnread(4)
  await page.keyboard.press('Enter')
  await inbox.untilUnread(3)
  await page.keyboard.press('Control+j')
  await page.keyboard.press('u')
  await inbox.untilUnread(4)
  await page.context().close()
})

test('loads older notifications near the end of the list', async () => {
  for (let count = 0; count < 8; count++) await stage.mention('amara', ['jonas'], `Number ${count}`)
  const jonas = stage.account.people.find(({ key }) => key === 'jonas')
  const page = await openInbox({}, { sub: jonas?.id })
  const inbox = inboxOf(page)
  await inbox.untilUnread(12)
  await inbox.open()
  expect(await inbox.items.count()).toBe(20)
  expect(await inbox.first.getAttribute('aria-setsize')).toBe('-1')
  await inbox.items.last().scrollIntoViewIfNeeded()
  await inbox.panel.getByText('That’s everything').waitFor()
  const all = await inbox.items.count()
  expect(all).toBeGreaterThan(24)
  expect(await inbox.first.getAttribute('aria-setsize')).toBe(String(all))
  await inbox.panel.getByRole('button', { name: 'Unread 12' }).click()
  await page.waitForFunction(
    () => document.querySelector('herald-inbox')?.shadowRoot?.querySelectorAll('article').length === 12,
  )
  await page.context().close()
})

test('dispatches an event for an opened notification; preventing it keeps the notification unread', async () => {
  const page = await openInbox({}, { sub: stage.account.userId })
  const inbox = inboxOf(page)
  await page.evaluate(() => {
    document.addEventListener('herald-open-notification', (event) => {
      const { notification } = (event as CustomEvent<{ notification: { id: string } }>).detail
      document.documentElement.dataset.opened = notification.id
      if (!document.documentElement.dataset.opens) event.preventDefault()
    })
  })
  await inbox.untilUnread(4)
  await inbox.open()
  const id = await inbox.first.getAttribute('data-id')
  await inbox.first.locator('.open').click()
  expect(await page.locator('html').getAttribute('data-opened')).toBe(id)
  expect(await inbox.isUnread(0)).toBe(true)
  await page.evaluate(() => {
    document.documentElement.dataset.opens = 'yes'
  })
  await inbox.first.locator('.open').click()
  await inbox.untilUnread(3)

  await page.locator('herald-inbox').evaluate((element) => {
    Object.assign(element, { hrefOf: ({ id }: { id: string }) => `#/comments/${id}`, texts: { title: 'Mitteilungen' } })
  })
  await inbox.panel.getByRole('heading', { name: 'Mitteilungen' }).waitFor()
  await inbox.first.locator('a.open').click()
  expect(page.url()).toContain(`#/comments/${id}`)
  await page.context().close()
})

test('creates no links and pictures with unsafe addresses', async () => {
  const page = await openInbox()
  const inbox = inboxOf(page)
  await inbox.open()
  const set = (href: string, image: string) =>
    page
      .locator('herald-inbox')
      .evaluate(
        (element, [href, image]) => Object.assign(element, { hrefOf: () => href, imageOf: () => image }),
        [href, image],
      )
  await set('#/safe', '/proxied.png')
  await inbox.first.locator('a.open').waitFor()
  expect(await inbox.first.locator('.avatar img').getAttribute('src')).toBe('/proxied.png')
  await set('javascript:document.title = "bad"', 'data:image/svg+xml,<svg/>')
  await inbox.first.locator('button.open').waitFor()
  expect(await inbox.panel.locator('a, .avatar img').count()).toBe(0)
  await page.context().close()
})
