import { pause } from '../until.ts'
import type { GroupOffsets, Positions } from './group-offsets.ts'
import type { Violations } from './violations.ts'

const everyMs = 100
/** A coordinator that was frozen may respond with what it knew, until it learns that another one has taken over. */
const confirmedMs = 2_000

export type OffsetWatch = {
  samples(): number
  /** Resolves when an offset that is now too low would have become a violation. */
  confirmed(): Promise<void>
  stop(): Promise<void>
}

/** Reads the group's committed offsets over and over: none may go back. Not for faults that set offsets. */
export function watchOffsets(offsets: GroupOffsets, violations: Violations): OffsetWatch {
  const highest = new Map<string, number>()
  const lowerSince = new Map<string, number>()
  let samples = 0
  let isStopped = false

  const compare = (committed: Positions, now: number): void => {
    for (const [partition, offset] of committed) {
      const before = highest.get(partition) ?? 0
      if (offset >= before) {
        highest.set(partition, offset)
        lowerSince.delete(partition)
        continue
      }
      const since = lowerSince.get(partition) ?? now
      lowerSince.set(partition, since)
      if (now - since < confirmedMs) continue
      violations.add('offset', `${partition} went back from ${before} to ${offset}`)
      highest.set(partition, offset)
      lowerSince.delete(partition)
    }
  }
  const watch = async (): Promise<void> => {
    while (!isStopped) {
      const committed = await offsets.committed().catch(() => undefined)
      if (committed) {
        compare(committed, Date.now())
        samples++
      }
      await pause(everyMs)
    }
  }
  const watching = watch()
  return {
    samples: () => samples,
    async confirmed() {
      const begin = { at: Date.now(), samples }
      while (Date.now() - begin.at < 2 * confirmedMs || samples - begin.samples < 10) await pause(everyMs)
    },
    async stop() {
      isStopped = true
      await watching
    },
  }
}
