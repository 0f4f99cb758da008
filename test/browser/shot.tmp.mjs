import { chromium } from 'playwright-core'

const url = process.env.DEMO ?? 'http://127.0.0.1:18080/demo/'
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
})
const only = process.argv.slice(2)
for (const width of [390, 1280])
  for (const colorScheme of ['light', 'dark']) {
    const name = `${width}-${colorScheme}`
    if (only.length && !only.includes(name)) continue
    const context = await browser.newContext({
      viewport: { width, height: width === 390 ? 844 : 860 },
      colorScheme,
      deviceScaleFactor: 1.5,
      hasTouch: width === 390,
      isMobile: width === 390,
    })
    const page = await context.newPage()
    page.on('console', (m) => console.log(name, m.type(), m.text()))
    page.on('pageerror', (e) => console.log(name, 'ERR', e.message))
    await page.goto(url)
    await page.addStyleTag({ content: ':root{--herald-font:Inter;font-family:Inter!important}' })
    await page.locator('herald-change-log li.entry').first().waitFor()
    await page.waitForTimeout(500)
    await page.screenshot({ path: `/tmp/shots/page-${name}.png` })
    await page.locator('herald-inbox button.bell').click()
    await page.locator('herald-inbox article').first().waitFor()
    await page.waitForTimeout(500)
    await page.screenshot({ path: `/tmp/shots/inbox-${name}.png` })
    await page.keyboard.press('Escape')
    await page.evaluate(() =>
      scrollTo(0, document.querySelector('herald-change-log').getBoundingClientRect().top + scrollY - 70),
    )
    await page.waitForTimeout(400)
    await page.screenshot({ path: `/tmp/shots/log-${name}.png` })
    await context.close()
  }
await browser.close()
