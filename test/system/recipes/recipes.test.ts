import { isFullRun } from '@herald/jest-preset/full-run'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { readRecipes, type Step } from './recipes.ts'
import { copyWorkspace, type WorkspaceCopy } from './workspace-copy.ts'

const recipes = readRecipes(new URL('../../../CONTRIBUTING.md', import.meta.url))

let copy: WorkspaceCopy
beforeAll(async () => {
  copy = await copyWorkspace()
}, 120_000)
afterEach(() => copy.reset())
afterAll(() => copy?.remove())

/** Applies steps. The contracts are built before commands run, since everything else is checked against their build. */
async function apply(steps: readonly Step[]): Promise<void> {
  const blocks = steps.flatMap((step) => step.blocks)
  for (const block of blocks) if (block.kind !== 'run') await copy.apply(block)
  await copy.run('npm run build -w packages/contracts')
  for (const block of blocks) if (block.kind === 'run') await copy.apply(block)
}

test('CONTRIBUTING.md has five recipes', () => {
  expect(recipes.map(({ title }) => title)).toEqual([
    'A new field of a notification',
    'A new field beside `metadata`',
    'A new event type',
    'A new HTTP operation',
    'Another Kafka client',
  ])
})

test.each([
  ['A new field of a notification', 8],
  ['A new field beside `metadata`', 8],
  ['A new event type', 6],
  ['A new HTTP operation', 9],
])('%s takes at most %i files of the product that are written by hand', (title, most) => {
  const blocks = recipes.find((recipe) => recipe.title === title)?.steps.flatMap((step) => step.blocks) ?? []
  const written = new Set(blocks.flatMap((block) => (block.kind === 'run' ? [] : [block.path])))
  const product = [...written].filter((path) => /^(packages|services)\/.+(?<!\.test)\.ts$/.test(path))
  expect(product.length).toBeGreaterThan(0)
  expect(product.length).toBeLessThanOrEqual(most)
})

describe.each(recipes)('$title', ({ steps }) => {
  test('passes every check with all steps', async () => {
    await apply(steps)
    for (const check of new Set(steps.map((step) => step.check))) {
      const { code, output } = await copy.run(check)
      expect([check, code, code === 0 ? '' : output]).toEqual([check, 0, ''])
    }
  })

  // That a forgotten step is always detected takes many builds.
  if (!isFullRun) return
  test.each(steps)('fails the check without the step "$title"', async (omitted) => {
    await apply(steps.filter((step) => step !== omitted))
    expect((await copy.run(omitted.check)).code).not.toBe(0)
  })
})
