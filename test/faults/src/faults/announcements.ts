import { isDeepStrictEqual } from 'node:util'
import { partitionsPerTopic } from '../campaign/campaign.ts'
import { comparedFields, expectedAnnouncement, notificationIdOf } from '../oracle/announced-notification.ts'
import { type AnnouncementLog, type AnnouncementLogOptions, followAnnouncements } from '../oracle/announcement-log.ts'
import { kindOf } from '../oracle/event-plan.ts'
import { lasting, type PartContext, strike } from '../part.ts'
import { until } from '../until.ts'
import { rewind, whileGroupIsEmpty } from './group-positions.ts'
import { killIngest } from './ingest-faults.ts'
import { killBroker, killPrimary } from './server-faults.ts'

let figures: Record<string, number> = {}

/** Every notification is announced at least once, never before it can be read, and none that was stored before. */
export async function announceThroughFaults(context: PartContext): Promise<void> {
  const { campaign, log } = context
  const { load, fleet, ledger } = campaign
  await load.produce(2_000)
  await campaign.drain()
  await ledger.refresh()
  const first = ledger.end()
  const follower = await startAnnouncementLog(context)
  try {
    await fleet.restartWith({ KAFKA_NOTIFICATION_TOPIC: topicOf(context) })
    await strikeAll(context, follower)
    await campaign.drain()
    await untilAnnounced(context, follower, first)
    checkAll(context, follower, first)

    const before = new Map([...follower.announced].map(([id, { count }]) => [id, count]))
    await strike(context, 'a replay of all topics from offset 0', () =>
      whileGroupIsEmpty(context, () => rewind(context)),
    )
    await campaign.drain()
    await untilAnnounced(context, follower, first)
    const again = [...before].filter(([id, count]) => follower.announced.get(id)?.count !== count)
    for (const [id] of again) campaign.violations.add('announcement', `${id} is announced again by a replay`)
    checkAll(context, follower, first)
    figures = { ...figures, announcedByReplay: again.length }
    log(JSON.stringify(figures))
  } finally {
    follower.stop()
  }
}

export const announcementNotes = () => ({ figures })

export const topicOf = ({ campaign }: PartContext) => `notification-events-${campaign.name}`

const createTopic = (context: PartContext) =>
  until('the topic of announcements', () =>
    context.campaign.offsets.run(async (admin) => {
      const topics = [{ topic: topicOf(context), numPartitions: partitionsPerTopic }]
      if (!(await admin.listTopics()).includes(topicOf(context))) await admin.createTopics({ topics })
      return true
    }),
  )

export async function startAnnouncementLog(
  context: PartContext,
  takesOther?: AnnouncementLogOptions['takesOther'],
): Promise<AnnouncementLog> {
  const { campaign, stack } = context
  await createTopic(context)
  return followAnnouncements({
    python: campaign.python,
    broker: stack.broker.direct,
    topic: topicOf(context),
    partitions: partitionsPerTopic,
    plan: campaign.plan,
    ledger: campaign.ledger,
    stored: campaign.stored,
    violations: campaign.violations,
    ...(takesOther ? { takesOther } : {}),
  })
}

async function strikeAll(context: PartContext, follower: AnnouncementLog): Promise<void> {
  const { times } = context
  await killIngest({ ...context, times: 3 * times })
  await killBroker({ ...context, times })
  await killPrimary({ ...context, times })
  for (let done = 0; done < times; done++) await removeTopic(context, follower)
}

/** Events are stored while the topic is missing, and announced once it is there again. */
async function removeTopic(context: PartContext, follower: AnnouncementLog): Promise<void> {
  const { campaign, isShort } = context
  await campaign.drain()
  await untilRead(context, follower)
  // With records in flight, announcements would be deleted with the topic before the oracle has read them.
  await campaign.offsets.deleteTopic(topicOf(context))
  await strike(
    context,
    'topic of announcements removed',
    () => {},
    async () => {
      await lasting(isShort ? 5 : 20)
      await campaign.drain()
      await createTopic(context)
      follower.startAgain()
    },
  )
}

/** Waits until everything that the topic contains was received and compared. */
export const untilRead = (
  { campaign }: PartContext,
  follower: AnnouncementLog,
  topic = topicOf({ campaign } as PartContext),
) =>
  until('all announcements to be read', async () => {
    const ends = await campaign.offsets.ends([topic])
    const isRead = [...ends].every(([place, end]) => follower.position(Number(place.split('/').at(-1))) >= end)
    return isRead && follower.isChecked()
  })

/** The relay writes all digests before it publishes, which takes its time on a busy machine. */
const limits = { withinMs: 600_000 }

export async function untilAnnounced(context: PartContext, follower: AnnouncementLog, first: number): Promise<void> {
  await context.campaign.ledger.refresh()
  // An announcement that is missing at the end is a violation rather than a failure.
  await until('all notifications to be announced', () => follower.missing(first).length === 0, limits).catch(() => {})
  await untilRead(context, follower)
}

/** Waits until everything unread that is due was announced and read. */
export async function untilDigestsAnnounced(context: PartContext, follower: AnnouncementLog): Promise<void> {
  const { stored, violations } = context.campaign
  const digests = stored.database.collection('digests')
  const isAnnounced = async () =>
    (await stored.fanOuts.countDocuments({ unreadAt: { $exists: true } })) === 0 &&
    (await digests.countDocuments({ announceAt: { $exists: true } })) === 0
  await until('everything unread to be announced', isAnnounced, limits).catch(() =>
    violations.add('announcement', 'a digest is late'),
  )
  await untilRead(context, follower)
}

function checkAll({ campaign, log }: PartContext, follower: AnnouncementLog, first: number): void {
  const { plan, ledger, violations } = campaign
  const missing = follower.missing(first)
  for (const id of missing) violations.add('announcement', `${id} is not announced`)
  const expected = new Map<string, number>()
  for (let n = 0; n < ledger.end(); n++) {
    if (kindOf(n) === 'mention' && ledger.wasPublished(n)) expected.set(`${notificationIdOf(plan, n)}/1`, n)
  }
  let unexpected = 0
  for (const { id, text } of follower.announced.values()) {
    const n = expected.get(id)
    if (n === undefined || n < first) {
      unexpected++
      violations.add(
        'announcement',
        `${id} is announced although it ${n === undefined ? 'does not exist' : 'was stored before'}`,
      )
    } else if (!isDeepStrictEqual(comparedFields(text), expectedAnnouncement(plan, n))) {
      violations.add('announcement', `${id} has other content: ${text}`)
    }
  }
  const distinct = follower.announced.size
  figures = { missing: missing.length, unexpected, announced: distinct, repeated: follower.count() - distinct, first }
  log(JSON.stringify(figures))
}
