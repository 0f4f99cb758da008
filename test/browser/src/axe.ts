import axe from 'axe-core'
import type { Page } from 'playwright-core'

type Axe = typeof axe

/** What axe finds wrong with the page as it stands, every rule of it asked, in words; components' insides included. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // A colour that is on its way to another one is no colour to judge.
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {}))))
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(document)
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target.flat().join(' ')}: ${failureSummary}`),
    )
  })
}
