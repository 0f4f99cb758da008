import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { accessibilityViolations } from './axe.ts'
import { inboxOf } from './inbox-page.ts'
import { prepareStage } from './prepare-stage.ts'

const stage = await prepareStage()

const openBoth = () =>
  stage.openHost(['herald-inbox', 'herald-change-log'], { sub: stage.account.userId, scope: 'change-entries:read' })
const setLocale = (page: Page, locale: string) =>
  page.locator('herald-inbox, herald-change-log').evaluateAll((elements, locale) => {
    for (const element of elements) element.setAttribute('locale', locale)
  }, locale)

test('the attribute `locale` makes texts and times German, whatever the language of the page', async () => {
  const page = await openBoth()
  const { bell, panel, first } = inboxOf(page)
  await page.getByRole('heading', { name: 'Change log' }).waitFor()
  await setLocale(page, 'de-AT')
  await page.getByRole('heading', { name: 'Änderungsprotokoll' }).waitFor()
  await page.locator('herald-inbox button.bell[aria-label="Mitteilungen, 4 ungelesen"]').waitFor()
  expect(await bell.getAttribute('lang')).toBe('de')
  await bell.click()
  await first.waitFor()
  expect(await first.innerText()).toContain('hat Sie in einem Kommentar erwähnt')
  expect(await first.locator('time').innerText()).toMatch(/^(jetzt|vor |gestern)/)
  await panel.getByRole('button', { name: 'Alle als gelesen markieren' }).waitFor()
  await stage.keepPicture(page, 'german')
  expect(await accessibilityViolations(page)).toEqual([])
  await page.context().close()
})

test('follows the language of the page', async () => {
  const page = await stage.openContent(`<!doctype html><html lang="de"><title>Seite</title>
    <script type="module" src="/herald-inbox.min.js"></script>
    <herald-inbox base-url="${stage.herald.baseUrl}"></herald-inbox>
    <script type="module">
      document.querySelector('herald-inbox').token = async () => (await fetch('/session/token')).text()
    </script>`)
  await page.locator('herald-inbox button.bell[aria-label="Mitteilungen, 4 ungelesen"]').waitFor()
  await page.context().close()
})

test('a page adds a language that is written from right to left', async () => {
  const page = await openBoth()
  const { bell, panel, first } = inboxOf(page)
  await setLocale(page, 'ar')
  await page.evaluate(async () => {
    document.documentElement.dir = 'rtl'
    const bundle = '/herald-inbox.min.js'
    const { addLanguage } = (await import(bundle)) as typeof import('@herald/inbox')
    addLanguage('ar', {
      inbox: { title: 'الإشعارات', bell: (unread) => `الإشعارات ${unread ?? ''}`, did: () => 'ذكرك في تعليق' },
      changeLog: { title: 'سجل التغييرات' },
    })
  })
  await page.getByRole('heading', { name: 'سجل التغييرات' }).waitFor()
  await bell.click()
  await first.waitFor()
  await panel.getByRole('heading', { name: 'الإشعارات' }).waitFor()
  expect(await first.innerText()).toContain('ذكرك في تعليق')
  const box = async (selector: string) => {
    const found = await first.locator(selector).boundingBox()
    if (found === null) throw new Error(`${selector} is not visible`)
    return found
  }
  const [dot, avatar, text] = [await box('.dot'), await box('.avatar'), await box('.open')]
  expect(dot.x).toBeGreaterThan(avatar.x + avatar.width)
  expect(avatar.x).toBeGreaterThan(text.x)
  await stage.keepPicture(page, 'right-to-left')
  expect(await accessibilityViolations(page)).toEqual([])
  await page.context().close()
})
