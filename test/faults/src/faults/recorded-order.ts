import { type StartedService, startService } from '@herald/local-herald'
import { followLogs, type OrderFollowers } from '../campaign/followed-order.ts'
import { startRollingQuery } from '../campaign/rolling-query.ts'
import { lasting, type PartContext, strike } from '../part.ts'
import { killIngest, stopIngest } from './ingest-faults.ts'
import { killBroker, killPrimary, stepPrimaryDown } from './server-faults.ts'

const sequencers = 2
/** Longer than the lease of the sequencer. */
const frozenSeconds = 8

let figures: Record<string, number> | undefined

/** Each entry comes exactly once to a reader who follows, and the order is never contradicted. */
export async function followRecordedOrder(context: PartContext): Promise<void> {
  const { campaign, times } = context
  const { fleet, plan, violations } = campaign
  const query = await startRollingQuery(campaign)
  const running: StartedService[] = []
  let followers: OrderFollowers | undefined
  try {
    while (running.length < sequencers) running.push(await startService('seal', fleet.settings))
    followers = await followLogs(campaign, query.url, plan.subscribers)
    for (let done = 0; done < times; done++) {
      for (const hit of [killIngest, killPrimary, stopIngest, stepPrimaryDown, killBroker]) {
        await hit({ ...context, times: 1 })
        await strike(
          context,
          'sequencers killed',
          () => killAll(running),
          () => startAll(running),
        )
      }
      for (const one of running) {
        await strike(context, `sequencer stopped for ${frozenSeconds} s`, async () => {
          one.kill('SIGSTOP')
          await lasting(frozenSeconds)
          one.kill('SIGCONT')
        })
      }
      // The log of the process is gone with it, and a status does not say what failed.
      for (const line of query.current().logs().filter(isError)) context.log(line)
      await query.roll()
    }
    await campaign.drain()
    figures = await followers.check()
    if (figures.entries === 0) violations.add('order', 'nothing was to be followed')
    context.log(JSON.stringify(figures))
  } finally {
    await followers?.stop()
    for (const one of running) {
      one.kill('SIGCONT')
      await one.stop()
    }
    await query.stop()
  }
}

export const recordedOrderNotes = () => ({ figures })

const isError = (line: string) => line.includes('"level":"error"')
const killAll = (running: readonly StartedService[]) => {
  for (const one of running) one.kill('SIGKILL')
}
const startAll = (running: readonly StartedService[]) => Promise.all(running.map((one) => one.restart()))
