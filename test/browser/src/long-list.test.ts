import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { inboxOf } from './inbox-page.ts'
import { prepareStage } from './prepare-stage.ts'
import { loadAll, scrollTo } from './scrolling.ts'

const stage = await prepareStage()
const user = randomUUID()
const count = 5_000

beforeAll(() => stage.mentionOften(user, count))

async function openLongList() {
  const page = await stage.openHost(['herald-inbox'], { sub: user })
  const inbox = inboxOf(page)
  await inbox.untilUnread(count)
  await inbox.open()
  await loadAll(page)
  return { page, inbox }
}

const untilWhole = ({ items }: ReturnType<typeof inboxOf>) =>
  eventually(async () => (await items.count()) === (await items.locator('.snippet').count()))

const places = (page: Page) =>
  page
    .locator('herald-inbox article')
    .evaluateAll((all) => all.map((item) => Number(item.getAttribute('aria-posinset'))))
const focusedPlace = (page: Page) =>
  page.evaluate(() => {
    const focused = document.querySelector('herald-inbox')?.shadowRoot?.activeElement
    return Number(focused?.closest('article')?.getAttribute('aria-posinset'))
  })
const untilFocused = (page: Page, place: number) => eventually(async () => (await focusedPlace(page)) === place)

test(`of ${count} notifications, only those near the visible ones are rendered`, async () => {
  const { page, inbox } = await openLongList()
  for (const place of [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1]) {
    const { isCovered, height } = await scrollTo(page, place)
    expect(height).toBeGreaterThan(count * 60)
    expect(isCovered).toBe(true)
    const rendered = await places(page)
    expect(rendered.length).toBeGreaterThan(5)
    expect(rendered.length).toBeLessThan(60)
    expect(rendered).toEqual(rendered.map((_, index) => (rendered[0] as number) + index))
  }
  expect((await places(page)).at(-1)).toBe(count)
  expect(await inbox.items.last().getAttribute('aria-setsize')).toBe(String(count))
  await inbox.items.last().getByText('Mention 1').waitFor()
  await page.context().close()
})

test('while the list is scrolled fast, what comes has only a name, and at rest everything', async () => {
  const { page, inbox } = await openLongList()
  await scrollTo(page, 0)
  await page.locator('herald-inbox article .more').first().waitFor()
  const during = await page.locator('herald-inbox .scroller').evaluate(async (scroller) => {
    // Frames that a busy machine draws late are not fast scrolling; ten in time are more than what is rendered.
    for (let [frame, inTime, last] = [0, 0, 0]; frame < 300 && inTime < 10; frame++) {
      scroller.scrollTop += 500
      const now = await new Promise<number>(requestAnimationFrame)
      inTime = now - last < 100 ? inTime + 1 : 0
      last = now
    }
    const all = [...scroller.querySelectorAll<HTMLElement>('article')]
    return { texts: all.map((item) => item.innerText), parts: scroller.querySelectorAll('.snippet, button').length }
  })
  expect(during.parts).toBe(0)
  expect(new Set(during.texts)).toEqual(new Set(['Mei Tanaka']))
  await untilWhole(inbox)
  expect(await inbox.items.count()).toBe(await inbox.items.locator('.more').count())
  await page.context().close()
})

test('keys reach every notification, and go on from one that was scrolled away', async () => {
  const { page, inbox } = await openLongList()
  await scrollTo(page, 0)
  await page.keyboard.press('j')
  await untilFocused(page, 1)
  await page.keyboard.press('End')
  await untilFocused(page, count)
  await page.keyboard.press('k')
  await untilFocused(page, count - 1)
  await page.keyboard.press('Home')
  await untilFocused(page, 1)
  for (const place of [2, 3]) {
    await page.keyboard.press('j')
    await untilFocused(page, place)
  }
  await scrollTo(page, 0.5)
  await inbox.panel.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('j')
  await untilFocused(page, 4)
  await page.context().close()
})

test('what is visible stays where it is when a notification arrives above it', async () => {
  const { page, inbox } = await openLongList()
  await scrollTo(page, 0.5)
  await untilWhole(inbox)
  const top = () =>
    page.locator('herald-inbox .scroller').evaluate((scroller) => {
      const { top } = scroller.getBoundingClientRect()
      const visible = [...scroller.querySelectorAll('article')].find(
        (item) => item.getBoundingClientRect().bottom > top,
      )
      return { id: visible?.dataset.id, at: Math.round((visible?.getBoundingClientRect().top ?? 0) - top) }
    })
  const before = await top()
  await stage.mentionOften(user, 1)
  await inbox.panel.getByText('1 new notification').waitFor()
  expect(await top()).toEqual(before)
  await page.context().close()
})
