import { eventually } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { accessibilityViolations } from './axe.ts'
import { prepareStage } from './prepare-stage.ts'
import { schemes } from './stage.ts'

const stage = await prepareStage()
const { changeEntries } = stage.clientOf(stage.account.userId)

const cardOf = (page: Page) => page.locator('#tampering')
const newestOf = (page: Page) => page.locator('herald-change-log li.entry').first()

/** Waits until every sample is sealed, so that nothing is left to say about the tail. */
async function untilSealed(): Promise<void> {
  let count = 0
  for await (const _ of changeEntries.iterate()) count++
  await eventually(async () => Number((await changeEntries.checkpoint().catch(() => '')).split('\n')[1]) === count, {
    within: 60_000,
    description: 'the whole log is sealed',
  })
}

test.each(schemes)('an entry that is altered in MongoDB is found, and can be put back, %s', async (colorScheme) => {
  await untilSealed()
  const page = await stage.openAs('mei', { colorScheme })
  const id = (await newestOf(page).getAttribute('data-id')) ?? ''
  const before = await changeEntries.list({ limit: 1 })
  const person = before.changeEntries[0]?.user.name ?? ''

  await cardOf(page).getByRole('button', { name: 'Alter an entry' }).click()
  await cardOf(page).getByText('verify.js exited with 1. Result: altered').waitFor()
  await cardOf(page)
    .getByText(new RegExp(`^Entry ${id} now names .+ in place of ${person}\\.$`))
    .waitFor()
  expect(await cardOf(page).getByRole('group', { name: 'Findings' }).innerText()).toMatch(
    new RegExp(`^1 \\d+ entry ${id}: the content does not give the leafHash of its line: one of them was altered$`),
  )
  await newestOf(page).getByText('Altered: doesn’t match its seal').waitFor()
  expect((await changeEntries.list({ limit: 1 })).changeEntries[0]?.user.name).not.toBe(person)
  await cardOf(page).scrollIntoViewIfNeeded()
  await stage.keepPicture(page, `demo-tampering-${colorScheme}`)
  expect(await accessibilityViolations(page)).toEqual([])

  // Another window can put it back, too.
  const other = await stage.openAs('amara')
  const button = cardOf(other).getByRole('button', { name: 'Put it back' })
  await button.click()
  await cardOf(other).getByText('verify.js exited with 0. Result: whole').waitFor()
  await newestOf(other).getByText('Sealed and unaltered').waitFor()
  expect(await changeEntries.list({ limit: 1 })).toEqual(before)
  expect(
    await cardOf(other)
      .getByRole('button', { name: 'Alter an entry' })
      .evaluate((element) => element.matches(':focus')),
  ).toBe(true)
  await cardOf(page).getByRole('button', { name: 'Alter an entry' }).waitFor()
  for (const one of [page, other]) await one.context().close()
})

test('another origin cannot alter anything', async () => {
  const headers = { origin: 'http://elsewhere.example' }
  for (const method of ['POST', 'DELETE']) {
    expect((await fetch(`${stage.demo.demoUrl}tampering`, { method, headers })).status).toBe(403)
  }
})
