import type { BudgetDefinition } from './budgets.ts'

const mebibyte = 1024 * 1024

/** Held from the first byte of a body until its response is sent. */
export const bodyBudget = {
  name: 'bodies',
  setting: 'MAX_BODY_BYTES',
  counts: 'bytes of request bodies',
  sum: 32 * mebibyte,
  userShare: 1 / 8,
} as const satisfies BudgetDefinition

/** Responses below 64 KiB cost less than their request, and streams have a budget of their own. */
export const responseBudget = {
  name: 'responses',
  setting: 'MAX_RESPONSE_BYTES',
  counts: 'bytes of large responses waiting to be read',
  sum: 48 * mebibyte,
  userShare: 1 / 4,
} as const satisfies BudgetDefinition

export const httpBudgets = [bodyBudget, responseBudget] as const
