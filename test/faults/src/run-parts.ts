import { availableParallelism } from 'node:os'
import { type Campaign, startCampaign } from './campaign/campaign.ts'
import type { Figures } from './oracle/final-check.ts'
import type { Part } from './part.ts'
import type { Row } from './report.ts'
import { emptyRow, failedRow, noFigures, runPart } from './run-part.ts'
import { type Stack, startStack } from './stack/stack.ts'

export type RunOptions = {
  isShort: boolean
  python: NodeJS.ProcessEnv
  log: (line: string) => void
  onRow: (row: Row) => void
}

/** Runs as many lanes at a time as there are cores, each with its own servers: much of a fault is waiting. */
export async function runParts(selected: readonly Part[], options: RunOptions): Promise<void> {
  const isLate = ({ needsMachine }: Part) => needsMachine === true && !options.isShort
  const [late, others] = [selected.filter(isLate), selected.filter((part) => !isLate(part))]
  const lanes = Object.values(Object.groupBy(others, ({ lane }) => lane))
  const ends = await Promise.allSettled(
    Array.from({ length: availableParallelism() }, async () => {
      for (let lane = lanes.shift(); lane; lane = lanes.shift()) await runLane(lane, options)
    }),
  )
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  await runLane(late, options)
}

/** Runs the parts one after another. In the short run they share one campaign, until one fails. */
async function runLane(selected: readonly Part[], options: RunOptions): Promise<void> {
  let stack: Stack | undefined
  let shared: { campaign: Campaign; figures: Figures } | undefined
  const endShared = async (): Promise<void> => {
    await shared?.campaign.stop().catch((error) => options.log(`Stopping the campaign failed: ${error}`))
    shared = undefined
  }
  const runHere = async (part: Part): Promise<Row> => {
    stack ??= await startStack(options)
    if (part.isAlone || !options.isShort) await endShared()
    shared ??= {
      campaign: await startCampaign({ ...options, ...campaignOf(part), stack }),
      figures: noFigures,
    }
    const { row, figures } = await runPart(part, shared.campaign, stack, options, shared.figures)
    shared.figures = figures
    if (row.verdict === 'failed' || part.isAlone) await endShared()
    return row
  }
  try {
    for (const part of selected) {
      const running = part.ownStack ? runApart(part, options) : runHere(part)
      // A part that cannot start must not prevent the others.
      options.onRow(await running.catch((error) => failedRow(part, error)))
    }
  } finally {
    await endShared()
    await stack?.stop()
  }
}

/** Few enough that those who follow the change logs of some see a good part of the entries. */
const defaultSubscribers = 97

const campaignOf = ({ name, mutant, subscribers = defaultSubscribers, firstEventAgoMs }: Part) => ({
  name,
  mutant,
  subscribers,
  firstEventAgoMs,
})

/** Runs a part that starts its own servers. */
async function runApart(part: Part, options: RunOptions): Promise<Row> {
  const own = await part.ownStack?.()
  if (!own || own.kind === 'skipped') {
    const reason = own?.reason ?? 'its servers cannot run on this machine'
    options.log(`${part.name}: skipped, ${reason}`)
    return { ...emptyRow(part), verdict: 'skipped', reason }
  }
  try {
    const campaign = await startCampaign({ ...options, ...campaignOf(part), stack: own.stack })
    try {
      return (await runPart(part, campaign, own.stack, options, noFigures)).row
    } finally {
      await campaign.stop().catch((error) => options.log(`Stopping the campaign failed: ${error}`))
    }
  } finally {
    await own.stack.stop()
  }
}
