import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { inboxOf } from './inbox-page.ts'
import { prepareStage } from './prepare-stage.ts'

const stage = await prepareStage()

/** A user of its own with a number of mentions, and the list open. */
async function openList(count: number, options: BrowserContextOptions = {}) {
  const user = randomUUID()
  await stage.mentionOften(user, count)
  const page = await stage.openHost(['herald-inbox'], { sub: user }, options)
  const inbox = inboxOf(page)
  await inbox.untilUnread(count)
  await inbox.open()
  const { notifications } = stage.clientOf(user)
  const saved = async (archived: 'true' | 'false') =>
    (await notifications.list({ archived })).notifications.map(({ metadata }) => metadata.mention.snippet)
  return { user, page, inbox, notifications, saved }
}

const texts = (page: Page) => page.locator('herald-inbox .snippet').allInnerTexts()
const focusedText = (page: Page) =>
  page.evaluate(() => {
    const focused = document.querySelector('herald-inbox')?.shadowRoot?.activeElement
    return focused?.closest('article')?.querySelector('.snippet')?.textContent ?? focused?.id
  })

test('archives with `e`, saves it after the time to undo, and moves the focus to the next one', async () => {
  const { page, inbox, notifications, saved } = await openList(4)
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  await inbox.panel.getByText('Mention 3').waitFor({ state: 'detached' })
  await inbox.untilUnread(3)
  expect(await focusedText(page)).toBe('Mention 2')
  await inbox.spoken.getByText('Archived').waitFor()
  expect(await saved('true')).toEqual([])
  await eventually(async () => (await saved('true')).length === 1)
  expect(await saved('false')).toEqual(['Mention 4', 'Mention 2', 'Mention 1'])
  await inbox.panel.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
  // Archived is read, and in no count.
  expect(await notifications.counts()).toMatchObject({ unreadCount: 3 })
  const [archived] = (await notifications.list({ archived: 'true' })).notifications
  expect(archived?.readAt).toBe(archived?.archivedAt)
  await page.context().close()
})

test('the last one that is archived leaves the focus in the panel', async () => {
  const { page, inbox } = await openList(1)
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  await inbox.panel.getByText('Nothing here yet').waitFor()
  expect(await focusedText(page)).toBe('panel')
  await page.context().close()
})

test('undo brings it back with the focus, by button and by `z`, also after the list was fetched again', async () => {
  const { page, inbox, saved } = await openList(3)
  await inbox.first.hover()
  await inbox.first.getByRole('button', { name: 'Archive' }).click()
  await inbox.panel.getByText('Mention 3').waitFor({ state: 'detached' })
  await page
    .locator('herald-inbox')
    .evaluate((element) => (element as HTMLElement & { refresh(): Promise<void> }).refresh())
  expect(await texts(page)).toEqual(['Mention 2', 'Mention 1'])
  await inbox.panel.getByRole('button', { name: 'Undo' }).click()
  await inbox.panel.getByText('Mention 3').waitFor()
  await eventually(async () => (await focusedText(page))?.startsWith('Mention 3') === true)
  await inbox.untilUnread(3)

  await page.keyboard.press('e')
  await inbox.panel.getByText('Mention 3').waitFor({ state: 'detached' })
  await page.keyboard.press('z')
  await inbox.panel.getByText('Mention 3').waitFor()
  expect(await saved('true')).toEqual([])
  await page.context().close()
})

test.each(['a link', 'the last tab', 'the component is removed'])(
  'what is archived is saved when the page is left: %s',
  async (how) => {
    const { page, inbox, saved } = await openList(2)
    await page.keyboard.press('j')
    await page.keyboard.press('e')
    await inbox.panel.getByText('Mention 2').waitFor({ state: 'detached' })
    if (how === 'a link') await page.goto('about:blank')
    else if (how === 'the last tab') await page.close({ runBeforeUnload: false })
    else await page.locator('herald-inbox').evaluate((element) => element.remove())
    await eventually(async () => (await saved('true')).length === 1)
    expect(await saved('false')).toEqual(['Mention 1'])
    await page.context().close()
  },
)

test('what is archived is saved when another window is shown, and cannot be undone any more', async () => {
  const { page, inbox, saved } = await openList(2)
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  const undo = inbox.panel.getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  expect(await undo.count()).toBe(0)
  await eventually(async () => (await saved('true')).length === 1)
  await page.context().close()
})

test('an archive that Herald does not take comes back, and says so', async () => {
  const { page, inbox, saved } = await openList(2)
  const { query } = stage.herald
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  await inbox.panel.getByText('Mention 2').waitFor({ state: 'detached' })
  query.kill('SIGKILL')
  await query.exited
  await inbox.panel.getByText('Your change could not be saved and was undone.').waitFor()
  await inbox.panel.getByText('Mention 2').waitFor()
  await inbox.untilUnread(2)
  await query.restart()
  expect(await saved('true')).toEqual([])
  await page.context().close()
})

test('429 brings it back too', async () => {
  const { page, inbox, saved } = await openList(2)
  await page.route('**/archived', (route) =>
    route.fulfill({
      status: 429,
      headers: { 'retry-after': '120', 'content-type': 'application/problem+json', 'access-control-allow-origin': '*' },
      body: JSON.stringify({
        type: 'urn:herald:problem:rate_limited',
        status: 429,
        code: 'rate_limited',
        title: '',
        detail: '',
      }),
    }),
  )
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  await inbox.panel.getByText('Your change could not be saved and was undone.').waitFor()
  await inbox.panel.getByText('Mention 2').waitFor()
  expect(await saved('true')).toEqual([])
  await page.context().close()
})

test('two windows agree on what is archived, taken out again and marked unread', async () => {
  const { user, page, inbox, notifications, saved } = await openList(3)
  const other = await stage.openHost(['herald-inbox'], { sub: user })
  const there = inboxOf(other)
  await there.untilUnread(3)
  await there.open()
  // Archived in both at the same time: once, and no longer to be undone.
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  await inbox.panel.getByRole('button', { name: 'Undo' }).waitFor()
  const [newest] = (await notifications.list()).notifications
  await notifications.archive(newest?.id ?? '')
  await inbox.panel.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
  await there.panel.getByText('Mention 3').waitFor({ state: 'detached' })
  for (const one of [inbox, there]) await one.untilUnread(2)

  await inbox.panel.getByRole('button', { name: 'Archived', exact: true }).click()
  await inbox.first.getByText('Mention 3').waitFor()
  await inbox.first.hover()
  await inbox.first.getByRole('button', { name: 'Move to inbox' }).click()
  await there.panel.getByText('Mention 3').waitFor()
  await eventually(async () => (await saved('true')).length === 0)
  for (const one of [inbox, there]) await one.untilUnread(2)
  await notifications.archive(newest?.id ?? '')
  await there.panel.getByText('Mention 3').waitFor({ state: 'detached' })
  await notifications.markUnread(newest?.id ?? '')
  await there.panel.getByText('Mention 3').waitFor()
  for (const one of [inbox, there]) await one.untilUnread(3)
  for (const one of [page, other]) await one.context().close()
})
