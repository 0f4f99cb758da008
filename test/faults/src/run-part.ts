import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Campaign } from './campaign/campaign.ts'
import { followOrder, type OrderFollowers } from './campaign/followed-order.ts'
import type { Figures } from './oracle/final-check.ts'
import type { Part, Strike } from './part.ts'
import type { Row } from './report.ts'
import type { RunOptions } from './run-parts.ts'
import type { Stack } from './stack/stack.ts'

export const noFigures: Figures = {
  acknowledged: 0,
  expected: 0,
  stored: 0,
  lost: 0,
  doubled: 0,
  deadLettersExpected: 0,
  deadLettersFound: 0,
  deadLettersRepeated: 0,
}

/** Runs one part and then compares everything. Figures from `before` the part are subtracted. */
export async function runPart(part: Part, campaign: Campaign, stack: Stack, options: RunOptions, before: Figures) {
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
  let followers: OrderFollowers | undefined
  try {
    // The short run shares its cores with other lanes.
    if (!isShort && !part.mutant) followers = await followOrder(campaign, part)
    const times = isShort ? part.short : part.full
    await part.run({ campaign, stack, times, isShort, strikes, log })
    await campaign.drain()
    isDrained = true
    if (followers) log(`in recorded order: ${JSON.stringify(await followers.check())}`)
  } catch (error) {
    violations.add('failed', describe(error))
    for (const member of campaign.fleet.members) log(member.logs().slice(-3).join('\n'))
  } finally {
    await followers?.stop()
  }
  try {
    log('comparing all documents and dead letters')
    await campaign.ledger.refresh()
    figures = await campaign.check()
  } catch (error) {
    violations.add('failed', describe(error))
  }
  if (strikes.length === 0) violations.add('in-flight', 'no fault was injected')
  // Without a drain, missing documents may only be late and prove nothing about a mutant.
  const isDetected = violations.count('offset') > 0 || (isDrained && violations.count() > violations.count('failed'))
  const hasFailed = part.mutant ? !isDetected : violations.count() > violationsBefore
  if (hasFailed && !part.mutant) log(`logs of the members: ${await saveLogs(campaign)}`)
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
    ...(part.summary ? { summary: part.summary() } : {}),
  }
  log(`${row.verdict} after ${Math.round(row.seconds)} s`)
  return { row, figures }
}

/** @returns the folder */
async function saveLogs({ fleet }: Campaign): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'herald-faults-logs-'))
  const names = fleet.members.map((member, index) => [join(folder, `ingest-${index + 1}.log`), member.logs()] as const)
  for (const [file, lines] of names) await writeFile(file, lines.join('\n'))
  return folder
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause ? `${error.message} (${describe(error.cause)})` : error.message
}

export function emptyRow(part: Part): Row {
  return {
    part: part.name,
    verdict: 'passed',
    seconds: 0,
    times: 0,
    inFlight: { least: 0, median: 0 },
    ...noFigures,
    offsetViolations: 0,
    samples: 0,
    violations: [],
  }
}

export function failedRow(part: Part, error: unknown): Row {
  return { ...emptyRow(part), verdict: 'failed', violations: [`failed: ${describe(error)}`] }
}
