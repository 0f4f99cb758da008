import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { afterEach, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type Mode, startBetween } from './between.ts'
import { inboxOf } from './inbox-page.ts'
import { prepareStage } from './prepare-stage.ts'

const stage = await prepareStage()
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const tokenOf = (sub: string) => stage.herald.tokens.sign({ subscriber_id: stage.account.subscriberId, sub })
const mention = (user: string, text: string) => stage.publishMentions(user, [{ text }])

/** A user with some mentions, and a page of the inbox behind a proxy. */
async function openBetween(mode: Mode = 'passes', headers: Readonly<Record<string, string>> = {}, mentions = 2) {
  const user = randomUUID()
  await stage.mentionOften(user, mentions)
  const between = await startBetween(stage.herald.baseUrl, headers)
  closing.push(between.stop)
  between.setMode(mode)
  between.signIn(await tokenOf(user))
  const page = await stage.openUrl(between.url)
  closing.push(() => page.context().close())
  return { user, between, page, inbox: inboxOf(page) }
}

const streamsIn = (requests: readonly { path: string; mode: Mode }[]) =>
  requests.filter(({ path }) => path === '/notifications/stream')

test.each([401, 403, 404, 405])('comes back by itself after a %s of whoever is in the path', async (status) => {
  const { user, between, page, inbox } = await openBetween()
  await inbox.untilUnread(2)
  between.setMode(status)
  await page.evaluate(() => window.dispatchEvent(new Event('online')))
  await eventually(() => streamsIn(between.requests).some(({ mode }) => mode === status))
  await mention(user, 'Sent while it was refused')
  between.setMode('passes')
  await inbox.untilUnread(3)
})

test('is right at once when it is opened after a refusal', async () => {
  const { user, between, page, inbox } = await openBetween()
  await inbox.untilUnread(2)
  between.setMode(401)
  await page.evaluate(() => window.dispatchEvent(new Event('online')))
  await eventually(() => streamsIn(between.requests).some(({ mode }) => mode === 401))
  await mention(user, 'Sent while it was refused')
  between.setMode('passes')
  const before = between.requests.length
  await inbox.open()
  await inbox.first.getByText('Sent while it was refused').waitFor()
  await inbox.untilUnread(3)
  expect(between.requests.slice(before).map(({ path }) => path)).toContain('/notifications/stream')
})

test('behind a proxy that withholds the stream, the number is known, polled, and the list is fetched at each opening', async () => {
  const { user, inbox, page } = await openBetween('withholds')
  await inbox.untilUnread(2)
  await mention(user, 'Learnt by polling')
  await inbox.untilUnread(3)
  await inbox.open()
  await inbox.first.getByText('Learnt by polling').waitFor()
  await inbox.panel.getByText('Live updates aren’t available here').waitFor()
  await page.keyboard.press('Escape')
  await mention(user, 'Learnt by opening')
  await inbox.bell.click()
  await inbox.first.getByText('Learnt by opening').waitFor()
  await inbox.untilUnread(4)
})

test('another user who signs in on the same page sees nothing of the one before', async () => {
  const { user, between, page, inbox } = await openBetween()
  const other = randomUUID()
  await mention(other, 'For the other one')
  await inbox.open()
  await inbox.untilUnread(2)
  between.signIn(await tokenOf(other))
  await inbox.untilUnread(1)
  await inbox.first.getByText('For the other one').waitFor()
  expect(await inbox.items.count()).toBe(1)
  await mention(user, 'For the first one')
  await mention(other, 'For the other one again')
  await inbox.first.getByText('For the other one again').waitFor()
  expect(await inbox.panel.getByText('For the first one').count()).toBe(0)
  between.signIn('')
  await inbox.untilUnread(0)
  expect(await inbox.items.count()).toBe(0)
  await page.keyboard.press('Escape')
})

test('eight tabs share one stream over HTTP/1.1, also after the one that held it is closed', async () => {
  const { user, between, page: first } = await openBetween()
  const others: Page[] = []
  for (let n = 0; n < 7; n++) {
    const page = await first.context().newPage()
    await page.goto(between.url)
    others.push(page)
  }
  for (const page of [first, ...others]) {
    await inboxOf(page).untilUnread(2)
    await inboxOf(page).open()
  }
  expect(between.streams()).toBe(1)
  await mention(user, 'For all tabs')
  for (const page of [first, ...others]) await inboxOf(page).first.getByText('For all tabs').waitFor()
  await first.close()
  await eventually(() => streamsIn(between.requests).length > 1 && between.streams() === 1)
  await mention(user, 'For those that are left')
  for (const page of others) await inboxOf(page).first.getByText('For those that are left').waitFor()
  expect(between.streams()).toBe(1)
})

test('a token function written in place is the same function: no new stream, and nothing vanishes', async () => {
  const { user, between, page, inbox } = await openBetween()
  await inbox.open()
  await eventually(() => between.streams() === 1)
  const least = await page.evaluate(async () => {
    const element = document.querySelector('herald-inbox') as HTMLElement & {
      token: unknown
      updateComplete: Promise<unknown>
    }
    let least = Number.POSITIVE_INFINITY
    for (let render = 0; render < 50; render++) {
      element.token = async () => {
        document.documentElement.dataset.asked = String(render)
        return (await fetch('/token')).text()
      }
      await element.updateComplete
      least = Math.min(least, element.shadowRoot?.querySelectorAll('article').length ?? 0)
    }
    return least
  })
  await mention(user, 'After many renderings')
  await inbox.first.getByText('After many renderings').waitFor()
  await inbox.first.getByRole('button', { name: 'Mark as read', exact: true }).click()
  await inbox.untilUnread(2)
  expect([least, streamsIn(between.requests).length]).toEqual([2, 1])
  expect(await page.evaluate(() => document.documentElement.dataset.asked)).toBe('49')
})

test('a page learns of a large archive by one event, whatever arrives meanwhile', async () => {
  const { user, between, inbox } = await openBetween('passes', {}, 20_000)
  await inbox.untilUnread(20_000)
  const { notifications } = stage.clientOf(user)
  const create = () =>
    notifications.create({
      type: 'mention',
      actorType: 'user',
      subjectId: user,
      subjectType: 'user',
      locationId: randomUUID(),
      locationType: 'comment',
      metadata: { mention: { mentionerName: 'Mei', snippet: 'Meanwhile', entityType: 'portfolio' } },
      recipientIds: [user],
    })
  let [isDone, arrived] = [false, 0]
  const archiving = notifications.archiveMany({ all: true }).finally(() => {
    isDone = true
  })
  for (; !isDone || arrived < 5; arrived++) await create()
  const { updated } = await archiving
  await inbox.untilUnread(20_000 + arrived - updated)
  await eventually(() => between.countEvents('notification') === arrived && between.countEvents('archive-state') > 0)
  expect(between.countEvents('archive-state')).toBe(1)
})

test.each([
  ['becomes visible', () => document.dispatchEvent(new Event('visibilitychange'))],
  ['goes on after it was frozen', () => document.dispatchEvent(new Event('resume'))],
  ['is shown from the cache', () => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))],
] as const)('a page whose connection was lost in its sleep is right when it %s', async (_, wake) => {
  const { user, between, page, inbox } = await openBetween()
  await inbox.untilUnread(2)
  await eventually(() => between.streams() === 1)
  between.silence()
  await mention(user, 'Sent in its sleep')
  const before = between.requests.length
  // Sooner than the client takes a silent stream for lost.
  await eventually(
    async () => {
      await page.evaluate(wake)
      return streamsIn(between.requests.slice(before)).length > 0
    },
    { within: 25_000 },
  )
  await inbox.untilUnread(3)
  await mention(user, 'Sent to the new stream')
  await inbox.untilUnread(4)
})

test('breaks no rule of a strict page, and looks the same', async () => {
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' https:`
  const { page, inbox } = await openBetween('passes', { 'content-security-policy': policy }, 90)
  await inbox.untilUnread(90)
  await page.evaluate(() => {
    const violations: string[] = []
    Object.assign(globalThis, { violations })
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
      violations.push(effectiveDirective),
    )
  })
  await inbox.open()
  for (let n = 0; n < 4; n++) await inbox.panel.locator('.scroller').evaluate((list) => list.scrollTo(0, 1e6))
  await eventually(async () => {
    await inbox.panel.locator('.scroller').evaluate((list) => list.scrollTo(0, 1e6))
    return (await inbox.items.last().getAttribute('aria-setsize')) === '90'
  })
  // Items are sketched while the list is scrolled fast.
  await inbox.panel.locator('article .avatar').first().waitFor()
  const looks = await page.evaluate(() => {
    const root = document.querySelector('herald-inbox')?.shadowRoot
    const [above] = root?.querySelectorAll<HTMLElement>('.scroller > div') ?? []
    const avatar = root?.querySelector('.avatar')
    return {
      hue: avatar && getComputedStyle(avatar).getPropertyValue('--hue'),
      above: above?.offsetHeight ?? 0,
      violations: (globalThis as unknown as { violations: string[] }).violations,
    }
  })
  expect(looks.violations).toEqual([])
  expect(looks.hue).toMatch(/^\d+$/)
  expect(looks.above).toBeGreaterThan(100)
})
