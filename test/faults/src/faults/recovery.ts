import type { StartedService } from '@herald/local-herald'
import type { PartContext } from '../part.ts'
import { until } from '../until.ts'
import { watchPartitions } from './partition-watch.ts'

/** Enough for constant commits on every partition, but less than the group can handle. */
const eventsPerSecond = 400

/** The longest time between two commits of a partition at this rate without faults. */
const usualGapMs = 2_000

/** From `kill -9` of one member of three, restarted at once, until every partition has a commit. */
const killLimits = { medianMs: 12_000, worstMs: 15_000 } as const
/** From SIGTERM to one member of three until every partition has a commit. */
const endLimits = { medianMs: 3_000, worstMs: 3_000 } as const
/** The short run shares its cores with the other lanes: only a member that hangs takes longer. */
const busyLimits = { medianMs: 40_000, worstMs: 40_000 } as const

type Limits = { readonly medianMs: number; readonly worstMs: number }
type Times = { killed: number[]; ended: number[]; isShort: boolean }

let times: Times = { killed: [], ended: [], isShort: false }

/**
 * Measures how soon a group of three continues after one member was killed or terminated, with records produced all the
 * time: until the broker has a new commit on the last of its partitions.
 */
export async function recover(context: PartContext): Promise<void> {
  times = { killed: [], ended: [], isShort: context.isShort }
  for (let done = 0; done < context.times; done++) {
    times.killed.push(await recoveryAfter(context, done, 'SIGKILL'))
    if (done % 2 === 0) times.ended.push(await recoveryAfter(context, done, 'SIGTERM'))
  }
  check(context, 'kill -9', times.killed, killLimits)
  check(context, 'SIGTERM', times.ended, endLimits)
}

async function recoveryAfter(
  { campaign, strikes, log }: PartContext,
  turn: number,
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<number> {
  const { fleet, load } = campaign
  const member = fleet.members[turn % fleet.members.length] as StartedService
  const steady = keepProducing(load)
  const partitions = watchPartitions(campaign.offsets)
  const allMoved = (since: number) =>
    until('every partition to move', () => partitions.allMovedSince(since), { everyMs: 20 })
  try {
    await allMoved(Date.now())
    const struckAt = Date.now()
    member.kill(signal)
    const restarted = member.exited.then(() => (signal === 'SIGKILL' ? member.restart() : undefined))
    await allMoved(struckAt)
    let ms = Date.now() - struckAt
    // A partition may have had one more commit before the group stopped; then the next one counts.
    const movedAt = Date.now()
    await allMoved(movedAt)
    if (Date.now() - movedAt > usualGapMs) ms = Date.now() - struckAt
    strikes.push({ fault: `recovery from ${signal}`, inFlight: await load.inFlight() })
    log(`${signal} (${turn + 1}): every partition committed again after ${ms} ms`)
    await restarted
    if (signal === 'SIGTERM') await member.restart()
    return ms
  } finally {
    partitions.stop()
    await steady.stop()
    await load.caughtUp()
  }
}

function keepProducing(load: PartContext['campaign']['load']) {
  let stopped = false
  const produce = async (): Promise<void> => {
    while (!stopped) await load.produce(eventsPerSecond, { rate: eventsPerSecond })
  }
  const producing = produce()
  return {
    async stop() {
      stopped = true
      await producing
    },
  }
}

function check({ campaign, isShort }: PartContext, fault: string, found: readonly number[], whenAlone: Limits): void {
  const { medianMs, worstMs } = summarize(found)
  const limits = isShort ? busyLimits : whenAlone
  if (worstMs > limits.worstMs) campaign.violations.add('recovery', `${fault}: the worst recovery took ${worstMs} ms`)
  if (medianMs > limits.medianMs) {
    campaign.violations.add('recovery', `${fault}: the median recovery took ${medianMs} ms`)
  }
}

function summarize(found: readonly number[]) {
  const sorted = found.toSorted((a, b) => a - b)
  return { times: sorted.length, medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0, worstMs: sorted.at(-1) ?? 0 }
}

export const recoveryNotes = () => ({ killed: times.killed, ended: times.ended })

export function recoverySummary(): string {
  const line = (fault: string, found: readonly number[], whenAlone: Limits) => {
    const { medianMs, worstMs } = times.isShort ? busyLimits : whenAlone
    const { times: count, medianMs: median, worstMs: worst } = summarize(found)
    const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
    return `${fault}: ${seconds(median)} at the median, ${seconds(worst)} at worst of ${count} (limits ${medianMs / 1_000} s and ${worstMs / 1_000} s)`
  }
  return [
    'Until every partition commits again after',
    `  ${line('kill -9 of one member of three', times.killed, killLimits)}`,
    `  ${line('SIGTERM to one member of three', times.ended, endLimits)}`,
  ].join('\n')
}
