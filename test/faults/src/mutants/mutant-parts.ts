import { announceThroughFaults } from '../faults/announcements.ts'
import { shiftClocks } from '../faults/clocks.ts'
import { eraseThroughFaults } from '../faults/erasures.ts'
import { rewind, whileGroupIsEmpty } from '../faults/group-positions.ts'
import { hangOperations } from '../faults/hanging-operations.ts'
import { killIngest } from '../faults/ingest-faults.ts'
import { writeLate } from '../faults/late-writers.ts'
import { stopAllMongods } from '../faults/server-faults.ts'
import { joinOnly } from '../faults/three-brokers.ts'
import { type Lane, type Part, type PartContext, strike } from '../part.ts'
import { startOnThreeBrokers } from '../stack/three-brokers.ts'
import { type Mutant, mutants } from './mutants.ts'

const outage = (context: PartContext) => stopAllMongods({ ...context, times: 1, isShort: true })

async function crashes(context: PartContext): Promise<void> {
  await killIngest({ ...context, times: 3 })
  if (context.campaign.violations.count() === 0) await outage(context)
}

async function replay(context: PartContext): Promise<void> {
  const { campaign } = context
  await campaign.load.produce(2_000)
  await campaign.drain()
  await campaign.marks.make(100)
  await strike(context, 'a replay from offset 0', () => whileGroupIsEmpty(context, () => rewind(context)))
}

const erase = (context: PartContext) => eraseThroughFaults({ ...context, times: 1, isShort: true })

const announce = (context: PartContext) => announceThroughFaults({ ...context, times: 1, isShort: true })

type Detection = Pick<Part, 'run' | 'ownStack' | 'firstEventAgoMs'>

/** The faults that detect each mutant. */
const detections: Readonly<Record<string, Detection>> = {
  'library-defaults': { run: outage },
  'commit-before-write': { run: crashes },
  'dead-letter-on-outage': { run: outage },
  'replace-instead-of-insert': { run: replay },
  'resolve-before-stored': { run: outage },
  'no-dedupe': { run: replay },
  'settle-before-publish': { run: announce },
  'announce-again': { run: announce },
  'announce-before-stored': { run: announce },
  'store-erased-persons': { run: erase },
  'erase-feeds-only': { run: erase },
  'no-chunk-deadline': { run: hangOperations },
  'no-step-deadline': { run: hangOperations },
  'no-commit-fencing': { run: joinOnly, ownStack: startOnThreeBrokers },
  'no-insert-fence': { run: writeLate },
  'no-late-look': { run: writeLate },
  'process-clock': { run: shiftClocks, firstEventAgoMs: 60_000 },
}

const lanes: readonly Lane[] = ['members', 'servers', 'network']

const toPart = (mutant: Mutant, index: number): Part => ({
  name: `mutant-${mutant.name}`,
  short: 1,
  full: 1,
  isAlone: true,
  lane: lanes[index % lanes.length] as Lane,
  mutant,
  ...(detections[mutant.name] ?? { run: crashes }),
})

/** A part per mutant; it passes when the oracle detects the mutant. */
export const mutantParts: readonly Part[] = mutants.map(toPart)
