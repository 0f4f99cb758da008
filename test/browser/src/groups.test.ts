import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { accessibilityViolations } from './axe.ts'
import { inboxOf } from './inbox-page.ts'
import { prepareStage } from './prepare-stage.ts'
import { type Mention, schemes } from './stage.ts'

const stage = await prepareStage()
const people = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Mary Somerville', 'Emmy Noether']
const idsOf = new Map(people.map((by) => [by, randomUUID()]))

/** A user of its own with four mentions in a fund and one elsewhere, grouped, and the list open. */
async function openGroups(options: BrowserContextOptions = {}) {
  const [user, fund] = [randomUUID(), randomUUID()]
  const inFund = (by: string, text: string): Mention => ({ by, text, actorId: idsOf.get(by), locationId: fund })
  const page = await stage.openHost(['herald-inbox'], { sub: user }, options)
  await page.locator('herald-inbox').evaluate((element, fund) => {
    element.setAttribute('grouped', '')
    Object.assign(element, {
      nameOf: ({ id }: { id: string }) => (id === fund ? 'Nordic infrastructure fund' : undefined),
    })
  }, fund)
  const lists = { groups: 0 }
  page.on('request', (request) => {
    if (request.method() === 'GET' && request.url().includes('/notifications/groups')) lists.groups++
  })
  const inbox = inboxOf(page)
  // Events of the stream show that it is live: a list from before would be fetched again.
  await inbox.untilConnected()
  await stage.publishMentions(user, [
    ...people.slice(1, 4).map((by) => inFund(by, `By ${by}`)),
    { text: 'Elsewhere', by: 'Emmy Noether' },
    inFund('Ada Lovelace', 'By Ada Lovelace'),
  ])
  await inbox.untilUnread(5)
  await inbox.open()
  const { notifications } = stage.clientOf(user)
  const texts = async (query: Parameters<typeof notifications.list>[0]) =>
    (await notifications.list(query)).notifications.map(({ metadata }) => metadata.mention.snippet)
  return { user, page, inbox, notifications, lists, inFund, texts }
}

const lines = (page: Page) => page.locator('herald-inbox .open').allInnerTexts()
const what = 'mentioned you in Nordic infrastructure fund'

test('shows a line for each location, and opens it in place', async () => {
  const { page, inbox } = await openGroups()
  expect(await lines(page)).toEqual([`Ada Lovelace and 3 others ${what}`, 'Emmy Noether mentioned you in a comment'])
  expect(await inbox.first.innerText()).toContain('4 notifications')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await inbox.items.nth(4).waitFor()
  expect(await lines(page)).toEqual([
    `Ada Lovelace and 3 others ${what}`,
    ...['Ada Lovelace', 'Mary Somerville', 'Alan Turing', 'Grace Hopper'].map((by) => `${by} ${what}`),
    'Emmy Noether mentioned you in a comment',
  ])
  expect(await inbox.first.locator('.open').getAttribute('aria-expanded')).toBe('true')
  await page.keyboard.press('j')
  await page.keyboard.press('u')
  await inbox.untilUnread(4)
  await page.keyboard.press('k')
  await page.keyboard.press('Enter')
  await inbox.items.nth(2).waitFor({ state: 'detached' })
  await page.context().close()
})

test('loads more of a long group', async () => {
  const { user, page, inbox, inFund } = await openGroups()
  await stage.publishMentions(
    user,
    Array.from({ length: 60 }, (_, index) => inFund('Grace Hopper', `More ${index}`)),
  )
  await inbox.first.getByText('64 notifications').waitFor()
  await page.reload()
  await page.locator('herald-inbox').evaluate((element) => element.setAttribute('grouped', ''))
  await inbox.untilUnread(65)
  await inbox.open()
  await inbox.first.getByText('64 notifications').waitFor()
  await inbox.first.locator('.open').click()
  await inbox.items.nth(20).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('End')
  await inbox.panel.getByRole('button', { name: 'Load more' }).click()
  await inbox.panel.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' })
  await page.keyboard.press('End')
  await inbox.panel.getByText('By Grace Hopper').waitFor()
  expect(await inbox.items.last().getAttribute('aria-posinset')).toBe('66')
  await page.context().close()
})

test('a group is marked by one call, and what arrives meanwhile is not', async () => {
  const { user, page, inbox, notifications, inFund, lists, texts } = await openGroups()
  const bodies: unknown[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/read')) bodies.push(request.postDataJSON())
  })
  const [newest] = (await notifications.list()).notifications
  const { query } = stage.herald
  query.kill('SIGSTOP')
  await page.keyboard.press('j')
  await page.keyboard.press('u')
  await inbox.untilUnread(1)
  query.kill('SIGCONT')
  await eventually(async () => (await notifications.unreadCount()) === 1)
  await stage.publishMentions(user, [inFund('Emmy Noether', 'While it is marked')])
  await inbox.untilUnread(2)
  await inbox.first.getByText('While it is marked').waitFor()
  expect((await lines(page))[0]).toMatch(/^Emmy Noether and \d others/)
  expect(bodies).toEqual([{ all: true, upTo: newest?.id, locationType: 'comment', locationId: newest?.locationId }])
  expect(await texts({ status: 'unread' })).toEqual(['While it is marked', 'Elsewhere'])
  expect(lists.groups).toBe(1)
  await page.context().close()
})

test('a group is archived by one call after the time to undo; a new one begins with what arrives meanwhile', async () => {
  const { user, page, inbox, inFund, lists, texts } = await openGroups()
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  await inbox.panel.getByText(what).waitFor({ state: 'detached' })
  await inbox.untilUnread(1)
  await page.keyboard.press('z')
  await inbox.panel.getByText(what).waitFor()
  await inbox.untilUnread(5)
  await inbox.first.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('e')
  await inbox.untilUnread(1)
  await stage.publishMentions(user, [inFund('Emmy Noether', 'While it is archived')])
  await inbox.first.getByText('While it is archived').waitFor()
  await eventually(async () => (await texts({ archived: 'true' })).length === 4)
  await inbox.panel.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
  expect(await texts({})).toEqual(['While it is archived', 'Elsewhere'])
  expect(await lines(page)).toEqual([`Emmy Noether ${what}`, 'Emmy Noether mentioned you in a comment'])
  await inbox.untilUnread(2)
  expect(lists.groups).toBe(1)
  await page.context().close()
})

test('follows what other windows do with a group', async () => {
  const { page, inbox, notifications, lists } = await openGroups()
  const [newest] = (await notifications.list()).notifications
  if (!newest) throw new Error('There is no notification')
  const { id: upTo, locationType, locationId } = newest
  await notifications.markRead(upTo)
  await inbox.untilUnread(4)
  await notifications.markUnread(upTo)
  await inbox.untilUnread(5)
  expect(lists.groups).toBe(1)
  await notifications.markManyRead({ all: true, upTo, locationType, locationId })
  await inbox.untilUnread(1)
  await eventually(async () => (await inbox.isUnread(0)) === false)
  await notifications.archiveMany({ all: true, upTo, locationType, locationId })
  await inbox.items.nth(1).waitFor({ state: 'detached' })
  expect(await lines(page)).toEqual(['Emmy Noether mentioned you in a comment'])
  await notifications.unarchive(upTo)
  await inbox.first.getByText('By Ada Lovelace').waitFor()
  await page.context().close()
})

test.each(schemes)('is accessible in groups, closed and opened, %s', async (colorScheme) => {
  const { page, inbox } = await openGroups({ colorScheme })
  await stage.keepPicture(page, `inbox-grouped-${colorScheme}`)
  expect(await accessibilityViolations(page)).toEqual([])
  await inbox.first.locator('.open').click()
  await inbox.items.nth(5).waitFor()
  await stage.keepPicture(page, `inbox-group-opened-${colorScheme}`)
  expect(await accessibilityViolations(page)).toEqual([])
  await page.context().close()
})
