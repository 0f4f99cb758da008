import { type HeldOperations, holdOperations } from '../campaign/held-operation.ts'
import { uuidOf } from '../oracle/announced-notification.ts'
import { plannedUuid } from '../oracle/derived-id.ts'
import { type FeedReaders, type Reader, readFeeds } from '../oracle/feed-readers.ts'
import { type PartContext, strike } from '../part.ts'
import { electionTimeoutMs } from '../stack/mongo-set.ts'
import { askMember, setElectionTimeout } from '../stack/set-member.ts'
import { until } from '../until.ts'
import { followStreams } from './rolled-streams.ts'

const readers = 10
/** Long enough to read what only the primary has before it stops to lead; the next one is elected at once. */
const longElectionTimeoutMs = 20_000
const attempts = 10

let notes: Record<string, unknown> = {}
export const rollbackNotes = () => notes

/**
 * Kills the primary with notifications that no other member has and that their recipients have listed, or would have if such
 * reads were allowed, and starts it again when the others have gone on without it: it rolls them back. Nothing that was
 * acknowledged may be lost, and no reader may lose what it has seen.
 */
export async function rollBack(context: PartContext): Promise<void> {
  const { campaign, stack, times } = context
  const held = holdOperations(campaign)
  await campaign.fleet.restartWith()
  await campaign.load.produce(1_000)
  await campaign.drain()
  const streams = await followStreams(context)
  const feeds = readFeeds(streams.current().url, campaign.fleet.tokens, campaign.violations)
  const rolledBack: number[] = []
  const listed: number[] = []
  await setElectionTimeout(stack.mongo, longElectionTimeoutMs)
  try {
    await feeds.add(Array.from({ length: readers }, (_, index) => readerOf(context, index)))
    for (let done = 0; done < times; done++) {
      let cut: Cut | undefined
      await strike(
        context,
        `failover with a rollback (${done + 1} of ${times})`,
        async () => {
          for (let attempt = 0; cut === undefined; attempt++) {
            if (attempt === attempts) throw new Error('The primary had no notification of its own while it led')
            cut = await cutOff(context, feeds, held)
          }
        },
        async () => {
          await campaign.load.produce(500)
          await cut?.member.restart()
          rolledBack.push((await cut?.untilRolledBack()) ?? 0)
          listed.push(cut?.notifications ?? 0)
        },
      )
    }
    await campaign.drain()
    notes = { rolledBack, listed, lists: await feeds.stop(), streams: await streams.check() }
    context.log(JSON.stringify(notes))
  } finally {
    await held.release()
    await feeds.stop()
    await streams.stop()
    await setElectionTimeout(stack.mongo, electionTimeoutMs)
  }
}

const readerOf = ({ campaign: { plan } }: PartContext, index: number): Reader => ({
  userId: uuidOf(plannedUuid(2, 5 + index + 20 * index)),
  subscriberId: uuidOf(plannedUuid(1, index % plan.subscribers)),
})

type Cut = NonNullable<Awaited<ReturnType<typeof cutOff>>>

/**
 * Kills the other members of the set just before notifications are inserted, so that only the primary has them; lets their
 * recipients list their feeds, kills it, starts the others, and lets them elect one. Ingest is frozen meanwhile, so that it
 * does not store them again before the recipients have listed their feeds at the next primary.
 *
 * @returns `undefined` if the primary has stopped to lead before
 */
async function cutOff({ campaign, stack, log }: PartContext, feeds: FeedReaders, held: HeldOperations) {
  const { fleet, load } = campaign
  const member = await stack.mongo.primary()
  const others = stack.mongo.members.filter((one) => one !== member)
  const lone = await askMember(member.address)
  const before = await lone.rollbackId()
  const { databaseName } = campaign.stored.database
  // Without a majority, ingest would not come to them: it stores their fan-outs before.
  await held.holdNext('insert notifications', 'wait')
  await load.produce(1_000)
  await until('an insert of notifications', held.isHeld)
  const cutAt = performance.now()
  // Frozen ones would apply later what the primary has sent them meanwhile.
  for (const other of others) other.kill('SIGKILL')
  let areBack = false
  const bringBack = async () => {
    if (!areBack) await Promise.all(others.map((other) => other.restart()))
    areBack = true
  }
  try {
    await held.release()
    let found: readonly Reader[] = []
    const isFound = async () => {
      found = (await lone.onlyHere(databaseName, 'notifications')).slice(0, readers).map(({ _id }) => recipientOf(_id))
      return found.length > 0
    }
    const withinMs = longElectionTimeoutMs / 2
    const isCut = await until('notifications of the primary alone', isFound, { withinMs }).then(
      () => true,
      () => false,
    )
    for (const one of fleet.members) one.kill('SIGSTOP')
    if (isCut) {
      await feeds.add(found)
      await feeds.haveListed()
    }
    if (!isCut || performance.now() - cutAt > longElectionTimeoutMs - 3_000) return undefined
    member.kill('SIGKILL')
    log(`${found.length} recipients have listed what only the primary had`)
    await bringBack()
    await elect(others.map(({ address }) => address))
    await feeds.haveListed('successfully')
    const notifications = found.length
    return { member, notifications, untilRolledBack: () => untilRolledBack(member.address, before) }
  } finally {
    await bringBack()
    for (const one of fleet.members) one.kill('SIGCONT')
    await lone.close()
  }
}

/** The recipient in the key of a notification. */
function recipientOf(key: { buffer: Uint8Array }): Reader {
  const bytes = Buffer.from(key.buffer)
  return { subscriberId: uuidOf(bytes.subarray(0, 16)), userId: uuidOf(bytes.subarray(16, 32)) }
}

/** Any of them: the first may lack what the second has. */
const elect = (addresses: readonly string[]) =>
  until('another primary', async () => {
    for (const address of addresses) {
      const member = await askMember(address)
      const hasWon = await member.stepUp().then(
        () => true,
        () => false,
      )
      await member.close()
      if (hasWon) return true
    }
    return false
  })

/** @returns how often the member has rolled back since */
async function untilRolledBack(address: string, before: number): Promise<number> {
  let count = 0
  await until('the former primary to roll back', async () => {
    const member = await askMember(address)
    count = (await member.rollbackId().finally(member.close)) - before
    return count > 0
  })
  return count
}
