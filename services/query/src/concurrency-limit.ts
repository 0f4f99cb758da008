/** How many of something may be open at the same time, for one user and for all users of this process. */
export type ConcurrencyLimit = {
  /** Counts one more for the user, at once. @returns what ends it, which may be called again; `undefined` when it is too many */
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
        const left = (counts.get(user) ?? 0) - 1
        if (left > 0) counts.set(user, left)
        else counts.delete(user)
      }
    },
  }
}
