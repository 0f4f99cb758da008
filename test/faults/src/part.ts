import type { Campaign } from './campaign/campaign.ts'
import type { ProduceOptions } from './campaign/load.ts'
import type { Mutant } from './mutants/mutants.ts'
import type { Stack } from './stack/stack.ts'
import { pause } from './until.ts'

/** An injected fault, and the number of records that were acknowledged but not committed at that moment. */
export type Strike = {
  fault: string
  inFlight: number
}

export type PartContext = {
  campaign: Campaign
  stack: Stack
  /** How often to inject the part's fault. */
  times: number
  isShort: boolean
  strikes: Strike[]
  log: (line: string) => void
}

/** Parts of one lane run one after another, on the lane's own servers. */
export type Lane = 'members' | 'servers' | 'network'

/** One kind of fault. `run` throws when the system does not recover; the oracle reports violations of the data. */
export type Part = {
  name: string
  /** How often the fault is injected in the short and in the full run. */
  short: number
  full: number
  /** Parts of different lanes run concurrently. */
  lane: Lane
  /** Starts servers for this part only; skips the part where that is not possible. */
  ownStack?: () => Promise<OwnStack>
  /** The part does not share its campaign with others. */
  isAlone?: boolean
  /** The part uses every core, or is judged by times: the full run starts it after the lanes, with nothing beside it. */
  needsMachine?: boolean
  /** It takes minutes: the short run only has it if it is named. */
  isLong?: boolean
  /** Sequencers are among what it hits, so that the followers of the change logs bring none. */
  hasSequencers?: boolean
  /** The number of subscribers that the events are of. */
  subscribers?: number
  /** How long before the campaign the time of the first event is. */
  firstEventAgoMs?: number
  /** Deliberately broken ingest: the part passes when the oracle detects it. */
  mutant?: Mutant
  run(context: PartContext): Promise<void>
  /** Additional figures for the JSON report. */
  notes?: () => Record<string, unknown>
  /** Figures of its own, to be printed below the table. */
  summary?: () => string
}

export type OwnStack = { kind: 'skipped'; reason: string } | { kind: 'started'; stack: Stack }

/** Puts records in flight, injects the fault immediately, and waits until it is over and the group has caught up. */
export async function strike(
  { campaign, strikes, log }: PartContext,
  fault: string,
  hit: () => Promise<unknown> | unknown,
  recover: () => Promise<unknown> | unknown = () => {},
  options?: ProduceOptions,
): Promise<void> {
  await campaign.marks.make(20)
  const inFlight = await campaign.load.fill(options)
  await hit()
  strikes.push({ fault, inFlight })
  log(`${fault}: ${inFlight} records in flight`)
  await recover()
  await campaign.load.caughtUp()
}

/** Waits for the duration of a fault. */
export const lasting = (seconds: number) => pause(seconds * 1_000)
