import { type StartedService, startService } from '@herald/local-herald'
import { createReleasers } from '@herald/runtime'
import { uuidOf } from '../oracle/announced-notification.ts'
import { plannedUuid } from '../oracle/derived-id.ts'
import { followLog, type LogFollower } from '../oracle/log-follower.ts'
import type { Part } from '../part.ts'
import { until } from '../until.ts'
import type { Campaign } from './campaign.ts'

const followedWithinMs = 120_000
const followedLogs = 16

/** Readers of change logs in recorded order, who know only the contract. */
export type OrderFollowers = {
  /** Waits until they have everything that is stored, reads all of it again, and reports what differs as violations. */
  check(): Promise<{ followers: number; entries: number }>
  stop(): Promise<void>
}

/** Follows the logs of the first subscribers. */
export async function followLogs(
  { fleet, plan, violations, stored }: Campaign,
  url: string,
  count: number,
): Promise<OrderFollowers> {
  const followers: LogFollower[] = []
  for (let index = 0; index < Math.min(count, plan.subscribers); index++) {
    const subscriber = plannedUuid(1, index)
    const claims = {
      sub: uuidOf(plannedUuid(2, index)),
      subscriber_id: uuidOf(subscriber),
      scope: 'change-entries:read',
    }
    const token = await fleet.tokens.sign(claims, { expiresIn: 24 * 60 * 60 })
    followers.push(followLog({ url, token, subscriber, violations }))
  }
  return {
    async check() {
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
      return { followers: followers.length, entries: followers.reduce((sum, { seen }) => sum + seen, 0) }
    },
    async stop() {
      for (const follower of followers) await follower.stop()
    },
  }
}

/** Follows some logs throughout a part, with a query service of their own, and a sequencer unless the part has some. */
export async function followOrder(
  campaign: Campaign,
  { hasSequencers = false }: Pick<Part, 'hasSequencers'>,
): Promise<OrderFollowers> {
  const releasers = createReleasers({ info() {}, error() {} })
  const start = async (name: 'seal' | 'query'): Promise<StartedService> => {
    const service = await startService(name, campaign.fleet.settings)
    releasers.add(name, service.stop)
    return service
  }
  try {
    if (!hasSequencers) await start('seal')
    const query = await start('query')
    const followers = await followLogs(campaign, query.url, followedLogs)
    releasers.add('followers', followers.stop)
    return { check: followers.check, stop: releasers.releaseAll }
  } catch (error) {
    await releasers.releaseAll()
    throw error
  }
}
