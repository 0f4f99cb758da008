type ViolationKind =
  /** Committed, but neither stored nor dead-lettered at that time. */
  | 'offset'
  | 'lost'
  | 'doubled'
  | 'unexpected'
  | 'content'
  | 'dead-letter'
  | 'good-dead-letter'
  | 'announcement'
  | 'stream'
  /** A reader of the recorded order missed an entry, or saw another order. */
  | 'order'
  /** A log was not sealed, or not published, as its leaves say. */
  | 'sealed'
  | 'exit'
  | 'stall'
  | 'recovery'
  | 'memory'
  /** One tenant took what belongs to others. */
  | 'shares'
  /** An attack of one publisher within all bounds was not handled as expected. */
  | 'attack'
  | 'in-flight'
  | 'failed'

/** Counts all violations and keeps the first few of each kind as examples. */
export type Violations = {
  add(kind: ViolationKind, detail: string): void
  count(kind?: ViolationKind): number
  examples(): string[]
}

const kept = 3

export function createViolations(log: (line: string) => void): Violations {
  const counts = new Map<ViolationKind, number>()
  const examples: string[] = []
  return {
    add(kind, detail) {
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      if (count > kept) return
      examples.push(`${kind}: ${detail}`)
      log(`VIOLATION ${kind}: ${detail}`)
    },
    count: (kind) => (kind ? (counts.get(kind) ?? 0) : [...counts.values()].reduce((sum, count) => sum + count, 0)),
    examples: () => [...examples],
  }
}
