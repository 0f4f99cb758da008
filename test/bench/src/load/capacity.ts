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

/** A system that keeps up has stored everything this soon after the last event, or answers within it. */
const keepsUpMs = 500
const secondsOf = ({ smoke }: Pick<BenchContext, 'smoke'>) => (smoke ? 0.2 : 15)

/** The greatest rate at which `keepsUp` holds, to about 6 %. It must hold at `from`. A smoke test does not look far. */
async function greatestRate(
  { smoke }: BenchContext,
  from: number,
  most: number,
  keepsUp: (perSecond: number) => Promise<boolean>,
) {
  let [good, bad] = [from, from * 2]
  for (; !smoke && bad <= most && (await keepsUp(bad)); bad *= 2) good = bad
  for (let i = 0; i < (smoke ? 1 : 4); i++) {
    const middle = (good + bad) / 2
    if (await keepsUp(middle)) good = middle
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
  const capacity = await greatestRate(context, 500, 32_000, async (perSecond) => {
    const schedule = next(perSecond, secondsOf(context))
    const before = await notifications.estimatedDocumentCount()
    const isStored = async () => (await notifications.estimatedDocumentCount()) >= before + schedule.count * recipients
    const lookedAt = dueAt(schedule, schedule.first + schedule.count) + keepsUpMs
    // Beside the loaders, because a reader is only done when it has found in the lists what it looks for.
    const [isDone] = await Promise.all([
      pause(lookedAt - now()).then(isStored),
      ...loaders.map((loader) => loader.run(schedule)),
    ])
    while (!(await isStored())) await pause(keepsUpMs)
    return isDone
  })
  context.log(`capacity: ${Math.round(capacity)} mentions of ${recipients} recipients a second`)
  return capacity
}

/** Pages per second that query keeps up with, while their readers share its cores. */
export async function pageCapacity(
  context: BenchContext,
  { next }: Pick<LoadedHerald, 'next'>,
  pages: Loader,
): Promise<number> {
  const capacity = await greatestRate(context, 250, 16_000, async (perSecond) => {
    return isPrompt(await pages.run(next(perSecond, secondsOf(context))))
  })
  context.log(`capacity: ${Math.round(capacity)} pages a second`)
  return capacity
}

/** Operations per second of a mix that both services keep up with, while its loaders share their cores. */
export async function mixCapacity(
  context: BenchContext,
  run: (perSecond: number, seconds: number) => Promise<readonly (readonly number[])[]>,
): Promise<number> {
  const capacity = await greatestRate(context, 10, 2_000, async (perSecond) =>
    (await run(perSecond, secondsOf(context))).every(isPrompt),
  )
  context.log(`capacity: ${Math.round(capacity)} events and pages a second, with the rest of the mix`)
  return capacity
}

/** Whether those of the end are answered in time: a system that doesn't keep up is ever later. */
const isPrompt = (latencies: readonly number[]) =>
  distributionOf(latencies.slice(-Math.ceil(latencies.length / 5))).p50 < keepsUpMs
