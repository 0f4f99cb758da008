/** Limits the number of concurrent operations of one user and of all users of this process. */
export type ConcurrencyLimit = {
  /**
   * Counts an operation of the user synchronously. Returns an idempotent function that ends it, or `undefined` beyond
   * the limit.
   */
  enter(user: string): (() => void) | undefined
}

export function createConcurrencyLimit({
  perUser,
  perProcess,
}: {
  perUser: number
  perProcess: number
}): ConcurrencyLimit {
  const counts = new Map<string, number>()
  let total = 0

  return {
    enter(user) {
      const own = counts.get(user) ?? 0
      if (own >= perUser || total >= perProcess) return undefined
      counts.set(user, own + 1)
      total++
      let isOpen = true
      return () => {
        if (!isOpen) return
        isOpen = false
        total--
        const remaining = (counts.get(user) ?? 0) - 1
        if (remaining > 0) counts.set(user, remaining)
        else counts.delete(user)
      }
    },
  }
}
