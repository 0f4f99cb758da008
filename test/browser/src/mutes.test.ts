import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import { accessibilityViolations } from './axe.ts'
import { inboxOf } from './inbox-page.ts'
import { prepareStage } from './prepare-stage.ts'
import { schemes } from './stage.ts'

const stage = await prepareStage()
const ada = { by: 'Ada Lovelace', actorId: randomUUID() }

/** A user of its own with a mention by Ada and one by somebody else, and the list open. */
async function openList(options = {}) {
  const [user, locationId] = [randomUUID(), randomUUID()]
  await stage.publishMentions(user, [
    { text: 'By Grace', by: 'Grace Hopper' },
    { text: 'By Ada', locationId, ...ada },
  ])
  const page = await stage.openHost(['herald-inbox'], { sub: user }, options)
  const inbox = inboxOf(page)
  await inbox.untilUnread(2)
  await inbox.open()
  const client = stage.clientOf(user)
  const showMutes = () => inbox.panel.getByRole('button', { name: 'Muted' }).click()
  const menu = inbox.panel.getByRole('group', { name: 'More actions' })
  const rows = inbox.panel.getByRole('list', { name: 'Muted' }).getByRole('listitem')
  return { user, locationId, page, inbox, client, menu, rows, showMutes }
}

test('`m` opens the menu; a person muted for good is in the list, and in no count any more', async () => {
  const { user, page, inbox, client, menu } = await openList()
  await page.keyboard.press('j')
  await page.keyboard.press('m')
  await menu.waitFor()
  await menu.getByRole('button', { name: '1 hour' }).first().and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  await inbox.first.and(page.locator(':focus')).waitFor()

  await page.keyboard.press('m')
  await menu.getByRole('group', { name: 'Mute Ada Lovelace' }).getByRole('button', { name: 'For good' }).click()
  await inbox.panel.getByText('Ada Lovelace is muted').waitFor()
  // Later announcements are not joined with it.
  await inbox.spoken.getByText('Ada Lovelace is muted').waitFor({ state: 'attached' })
  await inbox.first.and(page.locator(':focus')).waitFor()
  expect(await client.mutes.list()).toEqual([{ kind: 'actor', id: ada.actorId, until: null }])

  await page.evaluate(() => {
    const told: string[] = []
    document.addEventListener('herald-notification', (event) => {
      told.push((event as CustomEvent).detail.notification.metadata.mention.mentionerName)
    })
    Object.assign(window, { told })
  })
  await stage.publishMuted(user, { text: 'Nobody is told', ...ada })
  await inbox.first.getByText('Nobody is told').waitFor()
  expect(await inbox.first.innerText()).toContain('Muted')
  expect(await inbox.isUnread(0)).toBe(false)
  await inbox.untilUnread(2)
  // The page and the screen reader are told of the next one only.
  await stage.publishMentions(user, [{ text: 'By Grace again', by: 'Grace Hopper' }])
  await inbox.spoken.getByText('Grace Hopper').waitFor({ state: 'attached' })
  expect(await inbox.spoken.innerText()).not.toContain('Ada')
  expect(await page.evaluate('told')).toEqual(['Grace Hopper'])
  await inbox.untilUnread(3)
  await page.context().close()
})

test('undo takes a mute back', async () => {
  const { page, inbox, client, menu } = await openList()
  await page.keyboard.press('j')
  await page.keyboard.press('m')
  await menu.getByRole('group', { name: 'Mute this comment' }).getByRole('button', { name: '1 day' }).click()
  await inbox.panel.getByText('this comment is muted').waitFor()
  const [mute] = await client.mutes.list()
  const hours = (new Date(mute?.until ?? '').getTime() - Date.now()) / 3_600_000
  expect(hours).toBeGreaterThan(23)
  expect(hours).toBeLessThanOrEqual(24)
  await inbox.panel.getByRole('button', { name: 'Undo' }).click()
  await eventually(async () => (await client.mutes.list()).length === 0)
  await page.context().close()
})

test('the list of mutes has names from the newest notification or from the page, and unmutes', async () => {
  const { page, inbox, client, rows, locationId, showMutes } = await openList()
  await client.mutes.set({ kind: 'location', id: locationId })
  await client.mutes.set({ kind: 'actor', id: ada.actorId }, { until: new Date(Date.now() + 3_600_000) })
  const unknown = randomUUID()
  await client.mutes.set({ kind: 'actor', id: unknown })
  await showMutes()
  await rows.nth(1).getByText('Ada Lovelace').waitFor()
  await rows.nth(2).getByText('By Ada').waitFor()
  expect(await rows.nth(0).innerText()).toContain(unknown)
  expect(await rows.nth(1).innerText()).toMatch(/until .*\d{4}/)
  await page.locator('herald-inbox').evaluate((element, id) => {
    Object.assign(element, { nameOf: (target: { id: string }) => (target.id === id ? 'Nordic fund' : undefined) })
  }, locationId)
  await rows.nth(2).getByText('Nordic fund').waitFor()

  await rows.nth(1).getByRole('button', { name: 'Unmute: Ada Lovelace' }).click()
  await rows.nth(2).waitFor({ state: 'detached' })
  expect((await client.mutes.list()).map(({ id }) => id)).toEqual([unknown, locationId])
  await rows.nth(1).getByRole('button').and(page.locator(':focus')).waitFor()
  for (const left of [1, 0]) {
    await rows.nth(0).getByRole('button').click()
    await rows.nth(left).waitFor({ state: 'detached' })
  }
  await inbox.panel.getByText('Nothing is muted').waitFor()
  await inbox.panel.and(page.locator(':focus')).waitFor()
  expect(await client.mutes.list()).toEqual([])
  await inbox.panel.getByRole('button', { name: 'All', exact: true }).click()
  await inbox.first.getByText('By Ada').waitFor()
  await page.context().close()
})

test('says when no more can be muted', async () => {
  const { page, inbox, client, menu } = await openList()
  const ids = Array.from({ length: 500 }, () => randomUUID())
  for (let done = 0; done < ids.length; done += 25) {
    await Promise.all(ids.slice(done, done + 25).map((id) => client.mutes.set({ kind: 'actor', id })))
  }
  await page.keyboard.press('j')
  await page.keyboard.press('m')
  await menu.getByRole('button', { name: 'For good' }).first().click()
  await inbox.panel.getByText('No more can be muted. Unmute something first.').waitFor()
  expect(await client.mutes.list()).toHaveLength(500)
  await page.context().close()
})

test('says when a mute, and the list of them, could not be had', async () => {
  const { page, inbox, client, menu, showMutes } = await openList()
  const { query } = stage.herald
  await page.keyboard.press('j')
  await page.keyboard.press('m')
  query.kill('SIGKILL')
  await query.exited
  await menu.getByRole('button', { name: 'For good' }).first().click()
  await inbox.panel.getByText('Your change could not be saved and was undone.').waitFor()
  await showMutes()
  await inbox.panel.getByText('Notifications could not be loaded').waitFor()
  await query.restart()
  await inbox.panel.getByRole('button', { name: 'Try again' }).click()
  await inbox.panel.getByText('Nothing is muted').waitFor()
  expect(await client.mutes.list()).toEqual([])
  await page.context().close()
})

test.each(schemes)('the menu and the list of mutes are accessible, %s', async (colorScheme) => {
  const { page, inbox, client, menu, rows, showMutes } = await openList({ colorScheme })
  await page.keyboard.press('j')
  await page.keyboard.press('m')
  await menu.waitFor()
  await stage.keepPicture(page, `inbox-menu-${colorScheme}`)
  expect(await accessibilityViolations(page)).toEqual([])
  await page.keyboard.press('e')
  await inbox.panel.getByRole('button', { name: 'Undo' }).waitFor()
  await stage.keepPicture(page, `inbox-undo-${colorScheme}`)
  expect(await accessibilityViolations(page)).toEqual([])
  await client.mutes.set({ kind: 'actor', id: ada.actorId }, { until: new Date(Date.now() + 3_600_000) })
  await showMutes()
  await rows.getByText('Ada Lovelace').waitFor()
  await stage.keepPicture(page, `inbox-mutes-${colorScheme}`)
  expect(await accessibilityViolations(page)).toEqual([])
  await page.context().close()
})
