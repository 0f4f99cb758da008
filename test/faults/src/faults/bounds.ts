import type { PartContext } from '../part.ts'
import { createPeakCheck, type PeakCheck } from '../peaks.ts'
import { watchTurns } from '../turns.ts'
import { attackAsOnePublisher } from './one-publisher.ts'

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

/** They take minutes on a busy machine, and fill memory as others do. */
const onlyInFull: readonly Row[] = ['600 MiB of zeros in gzip', '130,000 records in a batch']

/** The limit of a pod is 512 MiB; the rest is a reserve for several of them at once. */
const mostMiB = 320
const goodEvents = 1_000
/** The last row has 600,000 events, which are stored and compared about as fast as those of the soak. */
const withinMs = 900_000
let peaks: PeakCheck['peaks'] = {}

/** Sends each among good events, once the one before is handled, and measures peak memory and the longest turn. */
export async function sendOutOfBounds(context: PartContext): Promise<void> {
  const { fleet, violations } = context.campaign
  const turns = await watchTurns()
  const check = createPeakCheck({ fleet, violations, turns })
  peaks = check.peaks
  try {
    await fleet.restartWith(turns.settings)
    const chosen = rows.filter((row) => !(context.isShort && onlyInFull.includes(row)))
    for (const [index, bounds] of chosen.entries())
      await check.during(bounds, mostMiB, () => send(context, bounds, index))
    await attackAsOnePublisher(context, check)
  } finally {
    await turns.stop()
  }
}

async function send({ campaign, isShort, strikes }: PartContext, bounds: Row, index: number): Promise<void> {
  const { load } = campaign
  await load.produce(goodEvents)
  if (index > 0) await load.produceBounds({ bounds, partition: index % 3, ...countOf(bounds, isShort) })
  await load.produce(goodEvents)
  strikes.push({ fault: bounds, inFlight: await load.inFlight() })
  await campaign.drain({ withinMs })
}

export const boundsNotes = () => ({ peaks })
export const boundsSummary = () =>
  Object.entries(peaks)
    .map(([name, peak]) => `${name}: ${JSON.stringify(peak)}`)
    .join('\n')

function countOf(bounds: Row, isShort: boolean): { count?: number } {
  if (bounds === '130,000 records in a batch') return { count: 130_000 }
  return bounds === 'events in zstd' ? { count: isShort ? 20_000 : 600_000 } : {}
}
