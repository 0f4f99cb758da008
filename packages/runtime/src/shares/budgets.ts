import { Counter, Gauge, type Registry } from 'prom-client'
import type { z } from 'zod'
import { integerSetting } from '../settings/setting-types.ts'
import { type Budget, createBudget } from './budget.ts'

/** A budget as an operator sees it: in settings, metrics and the README. */
export type BudgetDefinition<Setting extends string = string> = {
  readonly name: string
  readonly setting: Setting
  /** The counted unit, as a plural: `open exports`. */
  readonly counts: string
  /** The default of the setting: bytes or slots of one process. */
  readonly sum: number
  /** The part of the sum that one user may hold; a subscriber may hold half of it. */
  readonly userShare: number
  /** The effect beyond a share, if not 429 or 503. */
  readonly beyond?: string
}

/** Opens budgets, and exposes how much of each is held, and how often a part was refused. */
export function createBudgets(registry: Registry) {
  const open = new Map<string, Budget>()
  const gauge = { labelNames: ['budget'], registers: [registry] }
  new Gauge({
    ...gauge,
    name: 'herald_budget_held',
    help: 'Bytes or slots in use, by budget',
    collect() {
      for (const [name, budget] of open) this.set({ budget: name }, budget.held())
    },
  })
  const limit = new Gauge({ ...gauge, name: 'herald_budget_limit', help: 'Bytes or slots of a process, by budget' })
  const refusals = new Counter({
    name: 'herald_budget_refused_total',
    help: 'Refused parts, by budget and reason (share: of the user or subscriber; full: of the process)',
    labelNames: ['budget', 'reason'],
    registers: [registry],
  })

  return {
    /** @param sum bytes or slots of this process; the value of the setting */
    open(definition: BudgetDefinition, sum: number = definition.sum): Budget {
      const { name, userShare } = definition
      const part = (share: number) => Math.max(1, Math.floor(sum * share))
      const budget = createBudget({
        sum,
        perSubscriber: part(1 / 2),
        perUser: part(userShare),
        onRefused: (reason) => refusals.inc({ budget: name, reason }),
      })
      open.set(name, budget)
      limit.set({ budget: name }, sum)
      // A series that starts with its first refusal starts at 1, which `rate` and `increase` do not see.
      for (const reason of ['share', 'full']) refusals.inc({ budget: name, reason }, 0)
      return budget
    },
  }
}

export function budgetSettings<Setting extends string>(...definitions: readonly BudgetDefinition<Setting>[]) {
  const settings = definitions.map(({ setting, counts, sum }) => {
    const description = `${counts.charAt(0).toUpperCase()}${counts.slice(1)}, per process (see Budgets)`
    return [setting, integerSetting({ min: 1 }).default(sum).meta({ description })]
  })
  return Object.fromEntries(settings) as Record<Setting, z.ZodDefault<ReturnType<typeof integerSetting>>>
}
