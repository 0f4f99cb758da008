import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import { inboxOf } from './inbox-page.ts'
import { prepareStage } from './prepare-stage.ts'

const stage = await prepareStage()

test('opening marks what is shown as seen, in other windows too, and shows what is new since then', async () => {
  const user = randomUUID()
  await stage.mentionOften(user, 2)
  const { notifications } = stage.clientOf(user)
  const page = await stage.openHost(['herald-inbox'], { sub: user })
  const other = await stage.openHost(['herald-inbox'], { sub: user })
  const [inbox, there] = [inboxOf(page), inboxOf(other)]
  const isNew = () => inbox.items.evaluateAll((all) => all.map((item) => item.querySelector('.new') !== null))
  const unseen = () =>
    other.locator('herald-inbox').evaluate((element) => (element as unknown as { unseenCount: number }).unseenCount)
  await there.untilUnread(2)
  await eventually(async () => (await unseen()) === 2)
  expect(await notifications.counts()).toMatchObject({ unseenCount: 2, seenUpTo: null })

  await inbox.open()
  const [newest] = (await notifications.list()).notifications
  await eventually(async () => (await notifications.counts()).seenUpTo === newest?.id)
  await eventually(async () => (await unseen()) === 0)
  // They stay new until the list is closed, and unread.
  expect(await isNew()).toEqual([true, true])
  await inbox.untilUnread(2)
  await page.keyboard.press('Escape')

  await stage.publishMentions(user, [{ text: 'While it is closed' }])
  await inbox.untilUnread(3)
  expect(await notifications.counts()).toMatchObject({ unseenCount: 1 })
  await inbox.open()
  await eventually(async () => (await isNew()).join() === 'true,false,false')
  await eventually(async () => (await notifications.counts()).unseenCount === 0)

  await stage.publishMentions(user, [{ text: 'While it is open' }])
  await inbox.first.getByText('While it is open').waitFor()
  await eventually(async () => (await notifications.counts()).unseenCount === 0)
  expect(await isNew()).toEqual([true, true, false, false])
  for (const one of [page, other]) await one.context().close()
})

test('an element that is moved while it is open is closed, and sees nothing that comes', async () => {
  const user = randomUUID()
  await stage.mentionOften(user, 1)
  const { notifications } = stage.clientOf(user)
  const page = await stage.openHost(['herald-inbox'], { sub: user })
  const inbox = inboxOf(page)
  await inbox.open()
  await eventually(async () => (await notifications.counts()).unseenCount === 0)
  await page.evaluate(() => document.body.append(document.querySelector('herald-inbox') as Element))
  await inbox.untilUnread(1)
  expect(await inbox.panel.isVisible()).toBe(false)
  expect(await inbox.bell.getAttribute('aria-expanded')).toBe('false')
  await stage.publishMentions(user, [{ text: 'After the move' }])
  await inbox.untilUnread(2)
  expect((await notifications.counts()).unseenCount).toBe(1)
  await inbox.open()
  await inbox.first.getByText('After the move').waitFor()
  await eventually(async () => (await notifications.counts()).unseenCount === 0)
  await page.context().close()
})

test('a list that is opened in a hidden window is not seen', async () => {
  const user = randomUUID()
  await stage.mentionOften(user, 1)
  const page = await stage.openHost(['herald-inbox'], { sub: user })
  const inbox = inboxOf(page)
  await inbox.untilUnread(1)
  const calls: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/notifications/seen')) calls.push(request.method())
  })
  await page.evaluate(() => Object.defineProperty(document, 'hidden', { value: true, configurable: true }))
  await inbox.open()
  await inbox.first.getByText('Mention 1').waitFor()
  expect((await stage.clientOf(user).notifications.counts()).unseenCount).toBe(1)
  expect(calls).toEqual([])
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: false })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await eventually(async () => (await stage.clientOf(user).notifications.counts()).unseenCount === 0)
  await page.context().close()
})
