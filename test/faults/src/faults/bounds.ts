import { readFileSync, writeFileSync } from 'node:fs'
import type { PartContext } from '../part.ts'

/** Records and batches that would stop ingest or fill its memory without limits. */
const rows = [
  'none',
  'large header',
  'large key',
  'value of 110 MB',
  '600 MiB of zeros in gzip',
  '600 MiB of zeros in zstd',
  '10,000 headers',
  '130,000 records in a batch',
  'aborted transactions',
  'long pointers',
  'events in zstd',
] as const

type Row = (typeof rows)[number]

/** The limit of a pod is 512 MiB; the rest is a reserve for several of them at once. */
const mostMiB = 320
const goodEvents = 1_000
/** The last row has 600,000 events, which are stored and compared about as fast as those of the soak. */
const withinMs = 900_000
const peaks: Partial<Record<Row, { MiB: number; seconds: number }>> = {}

/** Sends each among good events, once the one before is handled, and measures peak memory. */
export async function sendOutOfBounds({ campaign, isShort, strikes, log }: PartContext): Promise<void> {
  const { load, fleet, violations } = campaign
  for (const [index, bounds] of rows.entries()) {
    await load.produce(goodEvents)
    const pids = fleet.members.map(({ pid }) => pid)
    for (const pid of pids) resetPeak(pid)
    const begin = performance.now()
    if (index > 0) await load.produceBounds({ bounds, partition: index % 3, ...countOf(bounds, isShort) })
    await load.produce(goodEvents)
    strikes.push({ fault: bounds, inFlight: await load.inFlight() })
    await campaign.drain({ withinMs })
    const peak = { MiB: Math.max(...pids.map(peakMiB)), seconds: Math.round((performance.now() - begin) / 1_000) }
    peaks[bounds] = peak
    log(`${bounds}: peak ${peak.MiB} MiB, ${peak.seconds} s`)
    if (peak.MiB > mostMiB) violations.add('memory', `${bounds}: ${peak.MiB} MiB, limit ${mostMiB} MiB`)
  }
}

export const boundsNotes = () => ({ peaks })

function countOf(bounds: Row, isShort: boolean): { count?: number } {
  if (bounds === '130,000 records in a batch') return { count: 130_000 }
  return bounds === 'events in zstd' ? { count: isShort ? 20_000 : 600_000 } : {}
}

/** Resets the peak resident size of a process. */
const resetPeak = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, '5')

function peakMiB(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1_024)
}
