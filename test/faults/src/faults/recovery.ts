import type { StartedService } from '@herald/local-stack'
import type { PartContext } from '../part.ts'
import { until } from '../until.ts'
import { watchPartitions } from './partition-watch.ts'

/** Enough for every partition to have something to commit all the time, and never so much that the group cannot follow. */
const eventsPerSecond = 400

/** How long a partition commits nothing at this rate, without any fault. */
const usualGapMs = 2_000

/** From `kill -9` of one member of three, started again at once, until every partition commits again. */
const killLimits = { medianMs: 12_000, worstMs: 15_000 } as const
/** From SIGTERM to one member of three until every partition commits again. */
const endLimits = { medianMs: 3_000, worstMs: 3_000 } as const

type Limits = { readonly medianMs: number; readonly worstMs: number }
type Times = { killed: number[]; ended: number[] }

let times: Times = { killed: [], ended: [] }

/**
 * How soon a group of three goes on after one of them was killed or ended, with records coming all the time. What counts is
 * what the broker has of each partition, and the partition that was last.
 */
export async function recover(context: PartContext): Promise<void> {
  times = { killed: [], ended: [] }
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
    // A partition may have moved once more before its group stopped: then it is the next time that counts.
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

function check({ campaign, isShort }: PartContext, fault: string, found: readonly number[], limits: Limits): void {
  const { medianMs, worstMs } = summarize(found)
  if (worstMs > limits.worstMs) campaign.violations.add('recovery', `${fault}: the worst recovery took ${worstMs} ms`)
  // A median of two or three says nothing.
  if (!isShort && medianMs > limits.medianMs) {
    campaign.violations.add('recovery', `${fault}: the median recovery took ${medianMs} ms`)
  }
}

function summarize(found: readonly number[]) {
  const sorted = found.toSorted((a, b) => a - b)
  return { times: sorted.length, medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0, worstMs: sorted.at(-1) ?? 0 }
}

export const recoveryNotes = () => ({ ...times })

export function recoverySummary(): string {
  const line = (fault: string, found: readonly number[], { medianMs, worstMs }: Limits) => {
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
