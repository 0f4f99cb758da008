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

/**
 * Each occupies a connection to MongoDB, of which the driver opens 100. The rest is for events, workers, and what has a budget of its
 * own: scans, counts, retractions and marks of many.
 */
export const storageBudget = {
  name: 'storage operations',
  setting: 'MAX_STORAGE_OPERATIONS',
  counts: 'reads and writes of requests in progress in MongoDB',
  sum: 64,
  userShare: 1 / 8,
  beyond: 'waits up to 8 s for its turn',
} as const satisfies BudgetDefinition

export const httpBudgets = [bodyBudget, responseBudget] as const
