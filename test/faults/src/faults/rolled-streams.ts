import { type RollingQuery, startRollingQuery } from '../campaign/rolling-query.ts'
import { uuidOf } from '../oracle/announced-notification.ts'
import { plannedUuid } from '../oracle/derived-id.ts'
import { type FeedFollower, followFeed } from '../oracle/feed-follower.ts'
import type { PartContext } from '../part.ts'
import { until } from '../until.ts'

const followers = 20
const followedWithinMs = 60_000

/** Users who follow their streams through the gateway while the query service is replaced. */
export type RolledStreams = Pick<RollingQuery, 'roll' | 'current'> & {
  /** Compares each user's state with the list, once everything is stored; returns the figures of all together. */
  check(): Promise<Record<string, number>>
  stop(): Promise<void>
}

export async function followStreams({ campaign }: PartContext): Promise<RolledStreams> {
  const { plan, fleet, violations } = campaign
  const query = await startRollingQuery(campaign)
  const users: FeedFollower[] = []
  const stop = async () => {
    await Promise.all(users.map((user) => user.stop()))
    await query.stop()
  }
  try {
    for (let index = 0; index < followers; index++) {
      // Among them are first recipients of notifications that receipts or users mark.
      const sub = uuidOf(plannedUuid(2, 5 + (index % 3) + 20 * (index % 15)))
      const token = await fleet.tokens.sign({ sub, subscriber_id: uuidOf(plannedUuid(1, index % plan.subscribers)) })
      users.push(followFeed({ url: query.url, token, name: `user ${index}`, violations }))
    }
    await Promise.all(users.map(({ ready }) => ready))
  } catch (error) {
    await stop()
    throw error
  }

  return {
    roll: query.roll,
    current: query.current,
    stop,
    async check() {
      let different: string[] = []
      const isSame = async () => {
        different = (await Promise.all(users.map((user) => user.differences()))).flat()
        return different.length === 0
      }
      // A difference that remains is a violation rather than a failure.
      await until('the streams to deliver everything', isSame, { withinMs: followedWithinMs }).catch(() => {})
      for (const difference of different) violations.add('stream', difference)
      const all = users.map((user) => user.figures())
      const least = Math.min(...all.map(({ connections }) => connections))
      const sum = (name: 'notifications' | 'read') => all.reduce((total, one) => total + one[name], 0)
      if (sum('notifications') === 0 || sum('read') === 0) violations.add('stream', 'nothing was to be followed')
      return { users: users.length, notifications: sum('notifications'), read: sum('read'), connections: least }
    },
  }
}
