import type { Campaign } from './campaign/campaign.ts'
import type { ProduceOptions } from './campaign/load.ts'
import type { Mutant } from './mutants/mutants.ts'
import type { Stack } from './stack/stack.ts'
import { pause } from './until.ts'

/** A fault that struck, and how many records were acknowledged and not committed at that moment. */
export interface Strike {
  fault: string
  inFlight: number
}

export interface PartContext {
  campaign: Campaign
  stack: Stack
  /** How often the part's fault is to strike. */
  times: number
  isShort: boolean
  strikes: Strike[]
  log: (line: string) => void
}

/** What runs one after another, with servers of its own. */
export type Lane = 'members' | 'servers' | 'network'

/** One kind of fault. It throws when something does not come about; what is wrong with the data the oracle tells. */
export interface Part {
  name: string
  /** Times in the short and in the full run. */
  short: number
  full: number
  /** Parts of different lanes run at the same time. */
  lane: Lane
  /** It needs servers of its own, or no server at all when it can't be run here. */
  ownStack?: () => Promise<OwnStack>
  /** Its campaign is not to be shared with other parts. */
  isAlone?: boolean
  /** It keeps the whole machine busy: the full run does it when all other lanes are done. */
  isHeavy?: boolean
  /** Ingest broken on purpose: the part passes when the oracle finds it out. */
  mutant?: Mutant
  run(context: PartContext): Promise<void>
  /** Something to be told beside the figures, for the JSON. */
  notes?: () => Record<string, unknown>
  /** Figures of its own, to be printed below the table. */
  summary?: () => string
}

export type OwnStack = { kind: 'skipped'; reason: string } | { kind: 'started'; stack: Stack }

/** Fills the pipe, strikes at once, and waits until the fault is over and the group has caught up. */
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
  log(`${fault}: struck ${inFlight} records in flight`)
  await recover()
  await campaign.load.caughtUp()
}

/** Lets a state last that is part of the fault itself. */
export const lasting = (seconds: number) => pause(seconds * 1_000)
