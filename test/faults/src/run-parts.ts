import { type Campaign, startCampaign } from './campaign/campaign.ts'
import type { Figures } from './oracle/final-check.ts'
import type { Part, Strike } from './part.ts'
import type { Row } from './report.ts'
import { type Stack, startStack } from './stack/stack.ts'

export interface RunOptions {
  isShort: boolean
  python: NodeJS.ProcessEnv
  log: (line: string) => void
  onRow: (row: Row) => void
}

const noFigures: Figures = {
  ...{ acknowledged: 0, expected: 0, stored: 0, lost: 0, doubled: 0 },
  ...{ deadLettersExpected: 0, deadLettersFound: 0, deadLettersRepeated: 0 },
}

/** Runs the parts one after another. In the short run they share one campaign, until one fails. */
export async function runParts(selected: readonly Part[], options: RunOptions): Promise<void> {
  let stack: Stack | undefined
  let shared: { campaign: Campaign; figures: Figures; violations: number; samples: number } | undefined
  const endShared = async (): Promise<void> => {
    await shared?.campaign.stop()
    shared = undefined
  }
  try {
    for (const part of selected) {
      if (part.ownStack) {
        options.onRow(await runApart(part, options))
        continue
      }
      stack ??= await startStack(options)
      if (part.isAlone || !options.isShort) await endShared()
      shared ??= {
        campaign: await startCampaign({ ...options, name: part.name, stack, mutant: part.mutant }),
        ...{ figures: noFigures, violations: 0, samples: 0 },
      }
      const row = await runPart(part, shared.campaign, stack, options, shared.figures)
      shared.figures = row.figures
      options.onRow(row.row)
      if (row.row.verdict === 'failed' || part.isAlone) await endShared()
    }
  } finally {
    await endShared().catch((error) => options.log(`Not everything could be stopped: ${error}`))
    await stack?.stop()
  }
}

/** A part that brings its own servers. */
async function runApart(part: Part, options: RunOptions): Promise<Row> {
  const own = await part.ownStack?.()
  if (!own || own.kind === 'skipped') {
    const reason = own?.reason ?? 'it can not be run here'
    options.log(`${part.name}: skipped, ${reason}`)
    return { ...emptyRow(part), verdict: 'skipped', reason }
  }
  try {
    const campaign = await startCampaign({ ...options, name: part.name, stack: own.stack })
    try {
      return (await runPart(part, campaign, own.stack, options, noFigures)).row
    } finally {
      await campaign.stop()
    }
  } finally {
    await own.stack.stop()
  }
}

async function runPart(part: Part, campaign: Campaign, stack: Stack, options: RunOptions, before: Figures) {
  const { isShort } = options
  const log = (line: string) => options.log(`${part.name}: ${line}`)
  const startedAt = performance.now()
  const strikes: Strike[] = []
  const { violations, live } = campaign
  const offsetViolationsBefore = violations.count('offset')
  const violationsBefore = violations.count()
  const examplesBefore = violations.examples().length
  const samplesBefore = live.samples()
  let figures = before
  let isDrained = false
  try {
    const times = isShort ? part.short : part.full
    await part.run({ campaign, stack, times, isShort, strikes, log })
    await campaign.drain()
    isDrained = true
  } catch (error) {
    violations.add('failed', describe(error))
    for (const member of campaign.fleet.members) log(member.logs().slice(-3).join('\n'))
  }
  try {
    log('comparing everything')
    await campaign.ledger.refresh()
    figures = await campaign.check()
  } catch (error) {
    violations.add('failed', describe(error))
  }
  // Without a drain what is missing may only be late: of a mutant that proves nothing.
  const isFoundOut = violations.count('offset') > 0 || (isDrained && violations.count() > violations.count('failed'))
  const hasFailed = part.mutant ? !isFoundOut : violations.count() > violationsBefore
  const sorted = strikes.map(({ inFlight }) => inFlight).toSorted((a, b) => a - b)
  const difference = Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, value - before[name as keyof Figures]]),
  ) as unknown as Figures
  const row: Row = {
    part: part.name,
    verdict: hasFailed ? 'failed' : 'passed',
    seconds: (performance.now() - startedAt) / 1_000,
    times: strikes.length,
    inFlight: { least: sorted[0] ?? 0, median: sorted[Math.floor(sorted.length / 2)] ?? 0 },
    ...difference,
    offsetViolations: violations.count('offset') - offsetViolationsBefore,
    samples: live.samples() - samplesBefore,
    violations: violations.examples().slice(examplesBefore),
    ...(part.notes ? { notes: part.notes() } : {}),
  }
  log(`${row.verdict} after ${Math.round(row.seconds)} s`)
  return { row, figures }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause ? `${error.message} (${describe(error.cause)})` : error.message
}

function emptyRow(part: Part): Row {
  return {
    ...{ part: part.name, verdict: 'passed', seconds: 0, times: 0, inFlight: { least: 0, median: 0 } },
    ...noFigures,
    ...{ offsetViolations: 0, samples: 0, violations: [] },
  }
}
