// Takes the pictures of the READMEs: `npm run pictures -w test/browser`, after a build.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { inboxOf } from './inbox-page.ts'
import { startStage } from './stage.ts'

const folder = new URL('../../../packages/web-components/', import.meta.url)
const window = { width: 1120, height: 640 }
const phone = { viewport: { width: 390, height: 720 }, hasTouch: true, isMobile: true }

const stage = await startStage()

/** Opens the demo with its list. Prefers Inter, because a machine's default font may not be presentable. */
async function openDemo(options: BrowserContextOptions): Promise<Page> {
  const page = await stage.openAs('mei', { viewport: window, deviceScaleFactor: 2, ...options })
  await page.addStyleTag({
    content: ':root { --herald-font: Inter, sans-serif; font-family: Inter, sans-serif !important }',
  })
  await page.locator('herald-change-log li.entry').first().waitFor()
  return page
}

async function take(name: string, page: Page): Promise<void> {
  await page.mouse.move(0, 0)
  const devtools = await page.context().newCDPSession(page)
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 72 })
  const file = fileURLToPath(new URL(`${name}.webp`, folder))
  const bytes = Buffer.from(data, 'base64')
  await writeFile(file, bytes)
  console.log(`${file}: ${Math.round(bytes.length / 1024)} KiB`)
  await page.context().close()
}

// The grouped list first: opening marks what is new as seen.
const grouped = await openDemo({})
await grouped.getByRole('button', { name: 'Group notifications' }).click()
await inboxOf(grouped).open()
await inboxOf(grouped).items.getByText('others mentioned you').first().click()
await inboxOf(grouped).items.locator('nth=4').waitFor()
await take('inbox-grouped', grouped)

for (const [name, colorScheme] of [
  ['inbox', 'light'],
  ['inbox-dark', 'dark'],
] as const) {
  const page = await openDemo({ colorScheme })
  await inboxOf(page).open()
  await take(name, page)
}

const mobile = await openDemo(phone)
await inboxOf(mobile).open()
await inboxOf(mobile).first.getByRole('button', { name: 'More actions' }).tap()
await take('inbox-mobile', mobile)

await stage.stop()
await stage.servers.stop()
process.exit()
