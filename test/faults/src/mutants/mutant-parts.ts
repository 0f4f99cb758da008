import { announceThroughFaults } from '../faults/announcements.ts'
import { eraseThroughFaults } from '../faults/erasures.ts'
import { rewind, whileGroupIsEmpty } from '../faults/group-positions.ts'
import { killIngest } from '../faults/ingest-faults.ts'
import { stopAllMongods } from '../faults/server-faults.ts'
import { type Lane, type Part, type PartContext, strike } from '../part.ts'
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

/** The faults that detect each mutant. */
const faultsFor: Readonly<Record<string, Part['run']>> = {
  'library-defaults': outage,
  'commit-before-write': crashes,
  'dead-letter-on-outage': outage,
  'replace-instead-of-insert': replay,
  'resolve-before-stored': outage,
  'no-dedupe': replay,
  'settle-before-publish': announce,
  'announce-again': announce,
  'announce-before-stored': announce,
  'store-erased-persons': erase,
  'erase-feeds-only': erase,
}

const lanes: readonly Lane[] = ['members', 'servers', 'network']

const toPart = (mutant: Mutant, index: number): Part => ({
  name: `mutant-${mutant.name}`,
  short: 1,
  full: 1,
  isAlone: true,
  lane: lanes[index % lanes.length] as Lane,
  mutant,
  run: faultsFor[mutant.name] ?? crashes,
})

/** A part per mutant; it passes when the oracle detects the mutant. */
export const mutantParts: readonly Part[] = mutants.map(toPart)
