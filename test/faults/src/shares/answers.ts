/** The responses to an attacker, by status. */
export type Answers = {
  add(status: number, retryAfter: string | null): void
  /** A connection that was cut without an answer, or one that has none yet. */
  addOther(kind: 'cut' | 'open'): void
  counts(): Readonly<Record<string, number>>
  /** Refusals that do not say when to try again. */
  withoutRetryAfter(): number
}

const refusals = [429, 503]

export function countAnswers(): Answers {
  const counts: Record<string, number> = {}
  let withoutRetryAfter = 0
  const add = (kind: string) => {
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return {
    add(status, retryAfter) {
      add(String(status))
      if (refusals.includes(status) && retryAfter === null) withoutRetryAfter++
    },
    addOther: add,
    counts: () => counts,
    withoutRetryAfter: () => withoutRetryAfter,
  }
}
