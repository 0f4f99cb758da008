import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { accessibilityViolations, rules, rulesOff } from './axe.ts'
import { launchChromium } from './chromium.ts'

test('every disabled rule exists in axe, and the README lists it with its reason', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const rows = [...readme.matchAll(/^\| `([a-z-]+)` +\| (.+?) +\|$/gm)].map(([, id = '', reason = '']) => [id, reason])
  expect(Object.fromEntries(rows)).toEqual(rulesOff)
  for (const id of Object.keys(rulesOff)) expect(rules[id]).toEqual({ enabled: false })
  expect(rules['target-size']).toEqual({ enabled: true })
})

test('finds targets that are too small and too close', async () => {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    const button = '<button style="width:12px;height:12px;padding:0;margin:0">x</button>'
    await page.setContent(`<html lang="en"><title>x</title><main><h1>x</h1>${button}${button}</main></html>`)
    expect((await accessibilityViolations(page)).map((violation) => violation.split(' ')[0])).toEqual([
      'target-size',
      'target-size',
    ])
  } finally {
    await browser.close()
  }
})
