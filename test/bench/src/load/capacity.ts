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

const bisections = 4
/** A system that keeps up has stored everything this soon after the last event, or answers within it. */
const keepsUpMs = 500

/** The greatest rate at which `keepsUp` holds, to about 6 %. It must hold at `from`. */
async function greatestRate(from: number, most: number, keepsUp: (perSecond: number) => Promise<boolean>) {
  let [good, bad] = [from, from * 2]
  for (; bad <= most && (await keepsUp(bad)); bad *= 2) good = bad
  for (let i = 0; i < bisections; i++) {
    const middle = (good + bad) / 2
    if (await keepsUp(middle)) good = middle
    else bad = middle
  }
  return good
}

type Probed = Pick<LoadedHerald, 'next' | 'database'>

/** Mentions per second that ingest keeps up with, while their producer shares its cores. */
export async function eventCapacity(
  { smoke, log }: BenchContext,
  { next, database }: Probed,
  publisher: Loader,
): Promise<number> {
  const notifications = database.collection('notifications')
  const capacity = await greatestRate(500, smoke ? 500 : 32_000, async (perSecond) => {
    const schedule = next(perSecond, smoke ? 0.2 : 5)
    const before = await notifications.estimatedDocumentCount()
    const expected = before + schedule.count * recipients
    await publisher.run(schedule)
    await pause(keepsUpMs)
    const isDone = (await notifications.estimatedDocumentCount()) >= expected
    while ((await notifications.estimatedDocumentCount()) < expected) await pause(keepsUpMs)
    return isDone
  })
  log(`capacity: ${Math.round(capacity)} mentions of ${recipients} recipients a second`)
  return capacity
}

/** Pages per second that query keeps up with, while their readers share its cores. */
export async function pageCapacity(
  { smoke, log }: BenchContext,
  { next }: Pick<LoadedHerald, 'next'>,
  pages: Loader,
): Promise<number> {
  const capacity = await greatestRate(250, smoke ? 250 : 16_000, async (perSecond) => {
    const latencies = await pages.run(next(perSecond, smoke ? 0.2 : 5))
    return distributionOf(latencies.slice(-Math.ceil(latencies.length / 5))).p50 < keepsUpMs
  })
  log(`capacity: ${Math.round(capacity)} pages a second`)
  return capacity
}
