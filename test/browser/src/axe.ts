import axe from 'axe-core'
import type { Page } from 'playwright-core'

type Axe = typeof axe

/** Disabled rules of axe with the reason. All others are enabled, including those off by default. */
export const rulesOff: Readonly<Record<string, string>> = {
  'aria-roledescription': 'deprecated by axe',
  'audio-caption': 'deprecated by axe',
  'duplicate-id': 'deprecated by axe',
  'duplicate-id-active': 'deprecated by axe',
  'landmark-complementary-is-top-level': 'deprecated by axe',
  'color-contrast-enhanced': 'WCAG AAA, 7:1; the colours have 4.5:1 (AA), and a page can set its own',
  'hidden-content': 'asks a person to look at hidden content, so it never finds an issue',
}

/** Options of axe that enable every rule not in `rulesOff`. */
export const rules = Object.fromEntries(
  axe.getRules().map(({ ruleId }) => [ruleId, { enabled: !(ruleId in rulesOff) }]),
)

/** Runs axe on the current state of the page, including shadow roots. Returns a line for each violation. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  // Colours are only meaningful once transitions have finished.
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {}))))
  await page.evaluate(axe.source)
  return page.evaluate(async (rules) => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(document, { rules })
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target.flat().join(' ')}: ${failureSummary}`),
    )
  }, rules)
}
