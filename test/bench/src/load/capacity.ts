import { setTimeout as pause } from 'node:timers/promises'
import { now } from '../clock.ts'
import type { BenchContext } from '../part.ts'
import { distributionOf } from './distribution.ts'
import type { LoadedHerald } from './loaded-herald.ts'
import type { Loader } from './loader.ts'
import { dueAt } from './schedule.ts'

/** Recipients of a mention in the open loops. */
export const recipients = 3
export const populationOf = ({ smoke }: Pick<BenchContext, 'smoke'>) => ({
  groups: smoke ? 50 : 1_000,
  recipients,
  subscribers: smoke ? 10 : 200,
})

/** A system that keeps up answers within this. */
const keepsUpMs = 500
const secondsOf = ({ smoke }: Pick<BenchContext, 'smoke'>) => (smoke ? 0.2 : 15)
/** MongoDB writes a checkpoint every 60 s, which takes up to a quarter of the time: only a whole minute shows what is kept up. */
const wholeSecondsOf = ({ smoke }: Pick<BenchContext, 'smoke'>) => (smoke ? 0.2 : 60)
/** A system that keeps up has stored everything this soon after the last event, as a share of the time. */
const lateShare = 0.05

type KeepsUp = (perSecond: number, seconds: number) => Promise<boolean>

/**
 * The greatest rate at which `keepsUp` holds for `seconds`, to about 6 %. It must hold at half of `from`. A smoke test does not look
 * far.
 */
async function greatestRate(
  context: BenchContext,
  from: number,
  most: number,
  keepsUp: KeepsUp,
  seconds = secondsOf(context),
) {
  const { smoke } = context
  let bad = from * 2
  while (!smoke && bad <= most && (await keepsUp(bad, secondsOf(context)))) bad *= 2
  // A rate that is kept up for a short time may not be for longer.
  let good = seconds > secondsOf(context) ? bad / 4 : bad / 2
  for (let i = 0; i < (smoke ? 1 : 4); i++) {
    const middle = (good + bad) / 2
    if (await keepsUp(middle, seconds)) good = middle
    else bad = middle
  }
  return good
}

type Probed = Pick<LoadedHerald, 'next' | 'database'>

/** Mentions per second that ingest keeps up with, while their producer and readers share its cores. */
export async function eventCapacity(
  context: BenchContext,
  { next, database }: Probed,
  loaders: readonly Loader[],
): Promise<number> {
  const notifications = database.collection('notifications')
  const keepsUp: KeepsUp = async (perSecond, seconds) => {
    const schedule = next(perSecond, seconds)
    const before = await notifications.estimatedDocumentCount()
    const isStored = async () => (await notifications.estimatedDocumentCount()) >= before + schedule.count * recipients
    const lookedAt = dueAt(schedule, schedule.first + schedule.count) + Math.max(keepsUpMs, seconds * 1_000 * lateShare)
    // Beside the loaders, because a reader is only done when it has found in the lists what it looks for.
    const [isDone] = await Promise.all([
      pause(lookedAt - now()).then(isStored),
      ...loaders.map((loader) => loader.run(schedule)),
    ])
    while (!(await isStored())) await pause(keepsUpMs)
    context.log(`${Math.round(perSecond)} mentions a second for ${seconds} s: ${isDone ? 'kept up' : 'not kept up'}`)
    return isDone
  }
  const capacity = await greatestRate(context, 500, 32_000, keepsUp, wholeSecondsOf(context))
  context.log(`capacity: ${Math.round(capacity)} mentions of ${recipients} recipients a second`)
  return capacity
}

/** Pages per second that query keeps up with, while their readers share its cores. */
export async function pageCapacity(
  context: BenchContext,
  { next }: Pick<LoadedHerald, 'next'>,
  pages: Loader,
): Promise<number> {
  const capacity = await greatestRate(context, 250, 16_000, async (perSecond, seconds) =>
    isPrompt(await pages.run(next(perSecond, seconds))),
  )
  context.log(`capacity: ${Math.round(capacity)} pages a second`)
  return capacity
}

/** Operations per second of a mix that both services keep up with, while its loaders share their cores. */
export async function mixCapacity(
  context: BenchContext,
  run: (perSecond: number, seconds: number) => Promise<readonly (readonly number[])[]>,
): Promise<number> {
  const capacity = await greatestRate(context, 10, 2_000, async (perSecond, seconds) =>
    (await run(perSecond, seconds)).every(isPrompt),
  )
  context.log(`capacity: ${Math.round(capacity)} events and pages a second, with the rest of the mix`)
  return capacity
}

/** Whether those of the end are answered in time: a system that doesn't keep up is ever later. */
const isPrompt = (latencies: readonly number[]) =>
  distributionOf(latencies.slice(-Math.ceil(latencies.length / 5))).p50 < keepsUpMs
