import { expect, test } from '@jest/globals'
import { Registry } from 'prom-client'
import { createBudgets } from './budgets.ts'

const desks = {
  name: 'desks',
  setting: 'MAX_DESKS',
  counts: 'desks in use',
  sum: 8,
  userShare: 1 / 8,
} as const
const ada = { subscriberId: 'a', userId: 'ada' }
const bob = { subscriberId: 'a', userId: 'bob' }

test('exposes what is held, the limit and the refusals of each budget', async () => {
  const registry = new Registry()
  const budget = createBudgets(registry).open(desks, 16)
  for (const owner of [ada, bob]) expect(budget.take(owner, 2).ok).toBe(true)
  expect(budget.take(ada, 1)).toEqual({ ok: false, refused: 'share' })
  const text = await registry.metrics()
  expect(text.split('\n').filter((line) => line.startsWith('herald'))).toEqual([
    'herald_budget_held{budget="desks"} 4',
    'herald_budget_limit{budget="desks"} 16',
    'herald_budget_refused_total{budget="desks",reason="share"} 1',
    'herald_budget_refused_total{budget="desks",reason="full"} 0',
  ])
})
