import type { GroupOffsets } from '../oracle/group-offsets.ts'
import { pause } from '../until.ts'

const lookEveryMs = 100
/** With records coming all the time a partition that commits nothing for longer stands still. */
const gapMs = 1_500

type Movement = { offset: number; movedAt: number; gapEndedAt: number }

/** Watches when the group commits something of each partition, and where there was a gap. */
export function watchPartitions(offsets: GroupOffsets) {
  const movements = new Map<string, Movement>()
  let stopped = false
  const watch = async (): Promise<void> => {
    while (!stopped) {
      const committed = await offsets.committed().catch(() => undefined)
      const now = Date.now()
      for (const [place, offset] of committed ?? []) {
        const last = movements.get(place)
        if (!last) movements.set(place, { offset, movedAt: 0, gapEndedAt: 0 })
        else if (offset > last.offset) {
          const isBehindGap = now - last.movedAt > gapMs
          movements.set(place, { offset, movedAt: now, gapEndedAt: isBehindGap ? now : last.gapEndedAt })
        }
      }
      await pause(lookEveryMs)
    }
  }
  void watch()
  return {
    /** Whether every partition has moved since then, and all have just now, so that no gap is open. */
    allMoveSince(since: number): boolean {
      const now = Date.now()
      const all = [...movements.values()]
      // A rebalance may begin right behind a commit: what has gone on for a while without a gap has recovered.
      const isSteady = now - Math.max(since, ...all.map(({ gapEndedAt }) => gapEndedAt)) > 2 * gapMs
      return all.length > 0 && isSteady && all.every(({ movedAt }) => movedAt > since && now - movedAt < gapMs)
    },
    /** When the last gap after `since` ended; `since` when there was none. */
    lastGapEnd: (since: number) => Math.max(since, ...[...movements.values()].map(({ gapEndedAt }) => gapEndedAt)),
    stop() {
      stopped = true
    },
  }
}
