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

/** Takes steps. Everything else is checked against the built contracts, so these are built first. */
async function take(steps: readonly Step[]): Promise<void> {
  const blocks = steps.flatMap((step) => step.blocks)
  for (const block of blocks) if (block.kind !== 'run') await copy.apply(block)
  await copy.run('npm run build -w packages/contracts')
  for (const block of blocks) if (block.kind === 'run') await copy.apply(block)
}

test('there are three recipes', () => {
  expect(recipes.map(({ title }) => title)).toEqual([
    'A new event type',
    'A new HTTP operation',
    'Another Kafka client',
  ])
})

describe.each(recipes)('$title', ({ steps }) => {
  test('every check passes when all steps are taken', async () => {
    await take(steps)
    for (const check of new Set(steps.map((step) => step.check))) {
      const { code, output } = await copy.run(check)
      expect([check, code, code === 0 ? '' : output]).toEqual([check, 0, ''])
    }
  })

  test.each(steps)('the check fails without the step "$title"', async (left) => {
    await take(steps.filter((step) => step !== left))
    expect((await copy.run(left.check)).code).not.toBe(0)
  })
})
