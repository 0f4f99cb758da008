import { type StartedService, startService } from '@herald/local-herald'
import { startRollingQuery } from '../campaign/rolling-query.ts'
import { uuidOf } from '../oracle/announced-notification.ts'
import { plannedUuid } from '../oracle/derived-id.ts'
import { followLog, type LogFollower } from '../oracle/log-follower.ts'
import { lasting, type PartContext, strike } from '../part.ts'
import { until } from '../until.ts'
import { killIngest, stopIngest } from './ingest-faults.ts'
import { killBroker, killPrimary, stepPrimaryDown } from './server-faults.ts'

const sequencers = 2
/** Longer than the lease of the sequencer. */
const frozenSeconds = 8
const followedWithinMs = 120_000

let figures: Record<string, number> | undefined

/** Each entry comes exactly once to a reader who follows, and the order is never contradicted. */
export async function followRecordedOrder(context: PartContext): Promise<void> {
  const { campaign, times } = context
  const { fleet, plan, violations, stored } = campaign
  const query = await startRollingQuery(campaign)
  const running: StartedService[] = []
  const followers: LogFollower[] = []
  try {
    while (running.length < sequencers) running.push(await startService('seal', fleet.settings))
    for (let index = 0; index < plan.subscribers; index++) {
      const subscriber = plannedUuid(1, index)
      const claims = {
        sub: uuidOf(plannedUuid(2, index)),
        subscriber_id: uuidOf(subscriber),
        scope: 'change-entries:read',
      }
      const token = await fleet.tokens.sign(claims, { expiresIn: 24 * 60 * 60 })
      followers.push(followLog({ url: query.url, token, subscriber, violations }))
    }
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
    let different: readonly string[] = []
    const isSame = async () => {
      const found = await Promise.all(followers.map((follower) => follower.differences(stored.changeEntries)))
      different = found.flat()
      return different.length === 0
    }
    // A difference that remains is a violation rather than a failure.
    await until('the followers to have everything', isSame, { withinMs: followedWithinMs }).catch(() => {})
    for (const id of different) violations.add('order', `${id} is stored or was returned, but not both`)
    for (const follower of followers) await follower.readAgain()
    figures = { followers: followers.length, entries: followers.reduce((sum, { seen }) => sum + seen, 0) }
    if (figures.entries === 0) violations.add('order', 'nothing was to be followed')
    context.log(JSON.stringify(figures))
  } finally {
    for (const follower of followers) await follower.stop()
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
