import type { IngestFleet } from './campaign/ingest-fleet.ts'
import type { Violations } from './oracle/violations.ts'
import { peakMiB, resetPeak } from './process-figures.ts'
import type { LongestTurn, TurnWatch } from './turns.ts'

/** No turn may take longer than 100 ms; one of the timer's intervals of 10 ms is measured with it. */
const mostTurnMs = 110

type Peak = LongestTurn & { readonly MiB: number; readonly seconds: number }

/** Measures the memory and the turns of the members while something is handled, and holds them against the limits. */
export type PeakCheck = ReturnType<typeof createPeakCheck>

type Dependencies = {
  readonly fleet: Pick<IngestFleet, 'members'>
  readonly violations: Violations
  readonly turns: TurnWatch
}

export function createPeakCheck({ fleet, violations, turns }: Dependencies) {
  const peaks: Record<string, Peak> = {}

  const measure = (name: string, since: number, mostMiB: number): void => {
    const pids = fleet.members.map(({ pid }) => pid)
    const MiB = Math.max(...pids.map(peakMiB))
    const seconds = Math.round((Date.now() - since) / 1_000)
    const peak = { MiB, ...turns.longestSince(since, pids), seconds }
    peaks[name] = peak
    if (MiB > mostMiB) violations.add('memory', `${name}: ${MiB} MiB, limit ${mostMiB} MiB`)
    if (peak.cpuMs > mostTurnMs) {
      violations.add('stall', `${name}: a turn of the event loop took ${peak.cpuMs} ms of processor time`)
    }
  }

  return {
    peaks,
    /** Also measures work that fails. */
    async during(name: string, mostMiB: number, work: () => Promise<void>): Promise<void> {
      for (const { pid } of fleet.members) resetPeak(pid)
      const since = Date.now()
      try {
        await work()
      } finally {
        measure(name, since, mostMiB)
      }
    },
    describe: (name: string) => `${name}: ${JSON.stringify(peaks[name])}`,
  }
}
