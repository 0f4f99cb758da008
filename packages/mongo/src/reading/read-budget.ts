export const maxResponseBytes = 16 * 1024 * 1024

/** The user who reads. Reads of one user wait for each other before they wait for those of others. */
export type Reader = { readonly subscriberId: string; readonly userId: string }

/** Lets reads begin as soon as there is room for them. */
type ReadBudget = {
  within<Result>(reader: Reader, amount: number, read: () => Promise<Result>): Promise<Result>
  /** Whether no other user has read in the last second. */
  isAlone(reader: Reader): boolean
}

/** `bytes` bounds what MongoDB may be sending at a time; `scans` how many reads examine documents without an index. */
export type ReadBudgets = { readonly bytes: ReadBudget; readonly scans: ReadBudget }

/** A checkpoint, or the state of all logs, has at most this size. */
const lookupBytes = 16 * 1024

/** Looks at small documents within the budget. Other reads must not be made within a look: they would wait for it. */
export const lookWithin =
  ({ bytes }: ReadBudgets, reader: Reader) =>
  <Result>(look: () => Promise<Result>): Promise<Result> =>
    bytes.within(reader, lookupBytes, look)

const unlimited: ReadBudget = { within: (_reader, _amount, read) => read(), isAlone: () => true }

/** A budget for processes that read no pages. */
export const noReadBudgets: ReadBudgets = { bytes: unlimited, scans: unlimited }
