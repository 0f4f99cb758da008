import { setTimeout as pause } from 'node:timers/promises'
import type { BenchContext } from '../part.ts'
import { distributionOf } from './distribution.ts'
import type { LoadedHerald } from './loaded-herald.ts'
import type { Loader } from './loader.ts'

/** Recipients of a mention in the open loops. */
export const recipients = 3
export const populationOf = ({ smoke }: Pick<BenchContext, 'smoke'>) => ({
  groups: smoke ? 50 : 1_000,
  recipients,
  subscribers: smoke ? 10 : 200,
})

/** A system that keeps up has stored everything this soon after the last event, or answers within it. */
const keepsUpMs = 500

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

/** Mentions per second that ingest keeps up with, while their producer shares its cores. */
export async function eventCapacity(
  context: BenchContext,
  { next, database }: Probed,
  publisher: Loader,
): Promise<number> {
  const notifications = database.collection('notifications')
  const capacity = await greatestRate(context, 500, 32_000, async (perSecond) => {
    const schedule = next(perSecond, context.smoke ? 0.2 : 5)
    const before = await notifications.estimatedDocumentCount()
    const expected = before + schedule.count * recipients
    await publisher.run(schedule)
    await pause(keepsUpMs)
    const isDone = (await notifications.estimatedDocumentCount()) >= expected
    while ((await notifications.estimatedDocumentCount()) < expected) await pause(keepsUpMs)
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
    const latencies = await pages.run(next(perSecond, context.smoke ? 0.2 : 5))
    return distributionOf(latencies.slice(-Math.ceil(latencies.length / 5))).p50 < keepsUpMs
  })
  context.log(`capacity: ${Math.round(capacity)} pages a second`)
  return capacity
}
