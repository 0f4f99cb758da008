import { type Budget, type BudgetDefinition, storageBudget } from '@herald/runtime'

export const exportBudget = {
  name: 'exports',
  setting: 'MAX_EXPORTS',
  counts: 'open exports of the change log',
  sum: 40,
  userShare: 1 / 10,
} as const satisfies BudgetDefinition

export const streamBudget = {
  name: 'streams',
  setting: 'MAX_STREAMS',
  counts: 'open event streams',
  sum: 4_000,
  userShare: 1 / 80,
} as const satisfies BudgetDefinition

export const streamByteBudget = {
  name: 'stream bytes',
  setting: 'MAX_STREAM_BYTES',
  counts: 'bytes of events waiting to be read',
  sum: 32 * 1024 * 1024,
  userShare: 1 / 8,
  beyond: 'cuts the slowest streams',
} as const satisfies BudgetDefinition

export const readBudget = {
  name: 'reads',
  setting: 'MAX_READ_BYTES',
  counts: 'bytes that MongoDB may be sending for lists and exports',
  sum: 64 * 1024 * 1024,
  userShare: 1 / 4,
  beyond: 'waits up to 8 s for its turn',
} as const satisfies BudgetDefinition

/** Each scan occupies a processor of MongoDB. */
export const scanBudget = {
  name: 'scans',
  setting: 'MAX_SCANS',
  counts: 'reads with filters that no index serves',
  sum: 4,
  userShare: 1 / 4,
  beyond: 'waits up to 8 s for its turn',
} as const satisfies BudgetDefinition

/** Each count examines an index key of every unread notification of a user. */
export const countBudget = {
  name: 'counts',
  setting: 'MAX_COUNTS',
  counts: 'counts of unread notifications',
  sum: 8,
  userShare: 1 / 8,
  beyond: 'waits up to 8 s for its turn',
} as const satisfies BudgetDefinition

/** Each occupies a connection to MongoDB for as long as it marks. */
export const markBudget = {
  name: 'marks',
  setting: 'MAX_MARKS',
  counts: 'operations that mark many notifications',
  sum: 8,
  userShare: 1 / 8,
  beyond: 'waits up to 8 s for its turn',
} as const satisfies BudgetDefinition

/** Beyond those of every HTTP server. */
export const queryBudgets = [
  ...[exportBudget, streamBudget, streamByteBudget],
  ...[readBudget, scanBudget, countBudget, markBudget, storageBudget],
] as const

/** The bytes of reads, each of which is also a storage operation. One that still waits for its bytes is not in progress. */
export function countInStorage(bytes: Budget, storage: Pick<Budget, 'within'>): Pick<Budget, 'within' | 'isAlone'> {
  return {
    within: (owner, amount, read) => bytes.within(owner, amount, () => storage.within(owner, 1, read)),
    isAlone: bytes.isAlone,
  }
}
