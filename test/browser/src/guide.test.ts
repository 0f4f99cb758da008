import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { inboxOf } from './inbox-page.ts'
import { prepareStage } from './prepare-stage.ts'

const guide = new URL('../../../packages/web-components/guides/read-notifications-in-a-front-end.md', import.meta.url)

const stage = await prepareStage()

/** The guide's code blocks of one language, joined. */
async function code(language: string): Promise<string> {
  const blocks = (await readFile(fileURLToPath(guide), 'utf8')).split('```')
  return blocks
    .filter((block, index) => index % 2 === 1 && block.startsWith(`${language}\n`))
    .map((block) => block.slice(language.length + 1))
    .join('')
}

test('the guide’s code blocks make a page that works as described', async () => {
  const html = (await code('html')).replaceAll('https://api.example/v1', stage.herald.baseUrl)
  const parts = [html, `<style>${await code('css')}</style>`, `<script type="module">${await code('js')}</script>`]
  const page = await stage.openContent(['<!doctype html><html lang="en"><title>Page</title>', ...parts].join('\n'))
  const logged: string[] = []
  page.on('console', (message) => logged.push(message.text()))

  const inbox = inboxOf(page)
  await inbox.untilUnread(4)
  expect(await page.title()).toBe('(4) My application')
  await page.locator('herald-change-log li.entry').first().waitFor()
  await inbox.open()
  const dot = inbox.first.locator('.dot')
  expect(await dot.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe('rgb(0, 95, 86)')
  await inbox.first.locator('a.open').click()
  await inbox.untilUnread(3)
  expect(page.url()).toMatch(/#\/comment\/[0-9a-f-]{36}$/)
  expect(await page.title()).toBe('(3) My application')
  expect(logged).toContain('opened: could you confirm the exit multiple before we send this out?')
  await page.context().close()
})
