import { readFileSync, writeFileSync } from 'node:fs'
import type { PartContext } from '../part.ts'

/** A record or a batch that would stop ingest, or fill its memory, if it were taken as it comes. */
const rows = [
  'nothing of the kind',
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

/** The pod's limit is 512 MiB; so much is left for what comes together. */
const mostMiB = 320
const goodEvents = 1_000
const peaks: Partial<Record<Row, { MiB: number; seconds: number }>> = {}

/** Sends one after another among good events, each when the one before is settled, and watches the peak of the memory. */
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
    await campaign.drain()
    const peak = { MiB: Math.max(...pids.map(peakMiB)), seconds: Math.round((performance.now() - begin) / 1_000) }
    peaks[bounds] = peak
    log(`${bounds}: at most ${peak.MiB} MiB, ${peak.seconds} s`)
    if (peak.MiB > mostMiB) violations.add('memory', `${bounds}: ${peak.MiB} MiB, ${mostMiB} are allowed`)
  }
}

export const boundsNotes = () => ({ peaks })

function countOf(bounds: Row, isShort: boolean): { count?: number } {
  if (bounds === '130,000 records in a batch') return { count: 130_000 }
  return bounds === 'events in zstd' ? { count: isShort ? 20_000 : 600_000 } : {}
}

/** The highest resident size counts from here on. */
const resetPeak = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, '5')

function peakMiB(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1_024)
}
