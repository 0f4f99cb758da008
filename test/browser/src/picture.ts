// Takes the screenshot of the READMEs: `node test/browser/src/picture.ts`, after a build.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { inboxOf } from './inbox-page.ts'
import { startStage } from './stage.ts'

const file = fileURLToPath(new URL('../../../packages/web-components/inbox.webp', import.meta.url))

const stage = await startStage()
const page = await stage.openAs('mei', { viewport: { width: 1120, height: 640 }, deviceScaleFactor: 2 })
// Prefers Inter, because a machine's default font may not be presentable.
await page.addStyleTag({
  content: ':root { --herald-font: Inter, sans-serif; font-family: Inter, sans-serif !important }',
})
await page.locator('herald-change-log li.entry').first().waitFor()
await inboxOf(page).open()
await page.mouse.move(0, 0)
const devtools = await page.context().newCDPSession(page)
const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 72 })
const bytes = Buffer.from(data, 'base64')
await writeFile(file, bytes)
console.log(`${file}: ${Math.round(bytes.length / 1024)} KiB`)
await stage.stop()
await stage.servers.stop()
process.exit()
