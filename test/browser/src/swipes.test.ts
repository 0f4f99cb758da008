import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { accessibilityViolations } from './axe.ts'
import { inboxOf } from './inbox-page.ts'
import { prepareStage } from './prepare-stage.ts'
import { narrow } from './stage.ts'

const stage = await prepareStage()

async function openOnPhone(options: BrowserContextOptions = {}) {
  const user = randomUUID()
  await stage.mentionOften(user, 2)
  const phone = { viewport: narrow, hasTouch: true, isMobile: true, ...options }
  const page = await stage.openHost(['herald-inbox'], { sub: user }, phone)
  const inbox = inboxOf(page)
  await inbox.untilUnread(2)
  await inbox.open()
  return { page, inbox, notifications: stage.clientOf(user).notifications }
}

/** Moves a finger over the first notification, and reads how far it has moved with the finger. */
async function swipe(page: Page, by: { readonly x: number; readonly y?: number }): Promise<number> {
  const first = inboxOf(page).first
  const box = await first.boundingBox()
  if (!box) throw new Error('No notification is visible')
  const devtools = await page.context().newCDPSession(page)
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', part = 0) =>
    devtools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x: x + by.x * part, y: y + (by.y ?? 0) * part }],
    })
  await touch('touchStart')
  for (let step = 1; step <= 10; step++) await touch('touchMove', step / 10)
  const moved = ((await first.boundingBox())?.x ?? 0) - box.x
  await touch('touchEnd')
  return Math.round(moved)
}

test('a swipe to the start archives, one to the end marks as read; a short one does nothing', async () => {
  const { page, inbox, notifications } = await openOnPhone()
  await swipe(page, { x: 60 })
  await swipe(page, { x: -60 })
  expect(await inbox.isUnread(0)).toBe(true)
  await swipe(page, { x: 150 })
  await inbox.untilUnread(1)
  expect(await inbox.isUnread(0)).toBe(false)
  await eventually(async () => (await notifications.unreadCount()) === 1)
  await swipe(page, { x: -150 })
  await inbox.panel.getByRole('button', { name: 'Undo' }).waitFor()
  expect(await inbox.items.count()).toBe(1)
  await eventually(async () => (await notifications.list({ archived: 'true' })).notifications.length === 1)
  await page.context().close()
})

test('is mirrored in a page from right to left', async () => {
  const { page, inbox } = await openOnPhone()
  await page.evaluate(() => {
    document.documentElement.dir = 'rtl'
  })
  await swipe(page, { x: -150 })
  await inbox.untilUnread(1)
  expect(await inbox.items.count()).toBe(2)
  await swipe(page, { x: 150 })
  await inbox.panel.getByRole('button', { name: 'Undo' }).waitFor()
  expect(await inbox.items.count()).toBe(1)
  await page.context().close()
})

test('follows the finger, unless the reader prefers less motion', async () => {
  const still = await openOnPhone()
  expect(await swipe(still.page, { x: 60 })).toBe(0)
  await still.page.context().close()
  const moving = await openOnPhone({ reducedMotion: 'no-preference' })
  expect(await swipe(moving.page, { x: 60 })).toBeGreaterThan(40)
  await moving.page.context().close()
})

test('a finger that scrolls archives nothing; all actions are in the menu', async () => {
  const { page, inbox } = await openOnPhone()
  await swipe(page, { x: -40, y: 200 })
  expect(await inbox.items.count()).toBe(2)
  expect(await inbox.first.getByRole('button', { name: 'Archive' }).count()).toBe(0)
  await inbox.first.getByRole('button', { name: 'More actions' }).tap()
  const menu = inbox.first.getByRole('group', { name: 'More actions' })
  await menu.getByRole('button', { name: 'Mark as read' }).waitFor()
  await stage.keepPicture(page, 'inbox-phone')
  expect(await accessibilityViolations(page)).toEqual([])
  await menu.getByRole('button', { name: 'Archive' }).tap()
  await inbox.panel.getByRole('button', { name: 'Undo' }).waitFor()
  await page.context().close()
})
