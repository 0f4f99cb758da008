import { request } from 'node:http'
import { expect, test } from '@jest/globals'
import { accessibilityViolations } from './axe.ts'
import { inboxOf } from './inbox-page.ts'
import { prepareStage } from './prepare-stage.ts'
import { narrow, schemes, wide } from './stage.ts'

const stage = await prepareStage()

const views = schemes.flatMap((colorScheme) => [
  { colorScheme, name: '1280', viewport: wide },
  { colorScheme, name: '390', viewport: narrow },
])

test.each(views)(
  'the demo is accessible and fits $name pixels, $colorScheme',
  async ({ colorScheme, name, viewport }) => {
    const page = await stage.openAs('mei', { colorScheme, viewport })
    await page.locator('herald-change-log li.entry').first().waitFor()
    await stage.keepPicture(page, `demo-${name}-${colorScheme}`)
    expect(await accessibilityViolations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
    await inboxOf(page).open()
    await stage.keepPicture(page, `demo-inbox-${name}-${colorScheme}`)
    expect(await accessibilityViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.locator('herald-change-log').evaluate((log) => log.scrollIntoView())
    await stage.keepPicture(page, `demo-change-log-${name}-${colorScheme}`)
    await page.context().close()
  },
)

test('a sent comment appears in the trace, then in the change log', async () => {
  const page = await stage.openAs('mei')
  await page.locator('textarea').fill('A comment for the log')
  await page.locator('button.send').click()
  await page.locator('.trace li').getByText('mention-events').waitFor()
  expect(await page.locator('.trace li').allInnerTexts()).toEqual([
    expect.stringMatching(/^mention-events[\s\S]*herald\.mention\.created\.v1, partition \d+, offset \d+/),
    expect.stringMatching(/^change-events[\s\S]*herald\.change\.recorded\.v1/),
  ])
  await page.locator('herald-change-log').getByText('A comment for the log').waitFor()
  await page.context().close()
})

test('gives no token to another origin or host name', async () => {
  const { demoUrl } = stage.demo
  const sessionResponse = (headers: Record<string, string>) => fetch(`${demoUrl}session`, { headers })
  expect((await sessionResponse({})).status).toBe(200)
  expect((await sessionResponse({ origin: 'http://elsewhere.example' })).status).toBe(403)
  const status = await new Promise((resolve) => {
    request(`${demoUrl}session`, { headers: { host: 'rebound.example' } }, ({ statusCode }) =>
      resolve(statusCode),
    ).end()
  })
  expect(status).toBe(403)
})
