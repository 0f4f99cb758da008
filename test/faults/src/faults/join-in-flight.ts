import { holdOperations } from '../campaign/held-operation.ts'
import { isPoison, kindOf, recipientsOf } from '../oracle/event-plan.ts'
import type { OffsetWatch } from '../oracle/offset-watch.ts'
import type { PartContext } from '../part.ts'
import { until } from '../until.ts'

/** Longer than a rebalance waits for a member. */
const limitMs = 10 * 60_000
const eventsAtOnce = 2_000

/**
 * A second member joins while a chunk of the first is in flight, until the group goes on without it; then while its commits
 * are. The second handles the same records and commits more, before the chunk and the commits of the first go on.
 */
export async function joinInFlight(context: PartContext, offsets: OffsetWatch): Promise<void> {
  const { campaign, strikes, log } = context
  const { fleet, load } = campaign
  for (const held of ['insert notifications', 'commit'] as const) {
    await Promise.all([...fleet.members].map(fleet.retire))
    const operations = holdOperations(campaign)
    fleet.limit({ limitMs })
    const first = await fleet.grow()
    try {
      await operations.holdNext(held, 'wait')
      await load.produce(eventsAtOnce)
      await until('the first member to be held', operations.isHeld)
      const before = await campaign.offsets.committed()
      if (held === 'commit') await untilStored(context)
      strikes.push({ fault: `a member joins, ${held} in flight`, inFlight: await load.inFlight() })
      operations.end()
      await fleet.grow()
      await load.produce(eventsAtOnce)
      // The second commits the partitions that the first has not kept: all of them if the group goes on without it.
      await until('the second member to commit more', async () => {
        const [ends, committed] = [await campaign.offsets.ends(), await campaign.offsets.committed()]
        const isMore = (place: string) => (committed.get(place) ?? 0) === ends.get(place)
        const open = [...ends.keys()].filter((place) => (before.get(place) ?? 0) < (ends.get(place) ?? 0))
        return held === 'commit' ? open.some(isMore) : open.every(isMore)
      })
      log(`${held} of the first member goes on`)
    } finally {
      await operations.release()
    }
    await offsets.confirmed()
    await load.produce(eventsAtOnce)
    await campaign.drain()
    await offsets.confirmed()
    await fleet.retire(first)
  }
  while (fleet.members.length < 3) await fleet.grow()
}

/** Waits until everything that was acknowledged is stored, committed or not. */
async function untilStored({ campaign: { ledger, stored } }: PartContext): Promise<void> {
  await ledger.refresh()
  let [mentions, changes] = [0, 0]
  for (let n = 0; n < ledger.end(); n++) {
    if (!ledger.wasPublished(n) || isPoison(n)) continue
    if (kindOf(n) === 'mention') mentions += recipientsOf(n).length
    if (kindOf(n) === 'change') changes++
  }
  await until('everything to be stored', async () => {
    const counts = [stored.notifications, stored.changeEntries].map((collection) => collection.countDocuments())
    const [notifications = 0, entries = 0] = await Promise.all(counts)
    return notifications >= mentions && entries >= changes
  })
}
