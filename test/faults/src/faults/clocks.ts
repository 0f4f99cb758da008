import type { StartedService } from '@herald/local-herald'
import type { AnnouncedEvent } from '../oracle/announcement-log.ts'
import { createDigestCheck } from '../oracle/digest-check.ts'
import type { PartContext } from '../part.ts'
import { until } from '../until.ts'
import { startAnnouncementLog, topicOf, untilAnnounced, untilDigestsAnnounced } from './announcements.ts'
import { clockShift, isOfRequests, removeRequested, requestThroughBoth } from './clock-requests.ts'
import { eraseThroughFaults } from './erasures.ts'
import { isAboutPeople } from './freeze.ts'

const hourMs = 60 * 60 * 1_000
/** The longest lease, and the time until the next look at it, on a busy machine. */
const takenOverWithinMs = 45_000 + 30_000

let notes: Record<string, unknown> = {}
export const clockNotes = () => notes

/**
 * Runs members and query services an hour ahead and an hour behind, while events of the last minute are stored, announced,
 * told of as unread and erased, and ingest, the broker and the primary are killed. No clock may show in what is stored,
 * announced, refused or late.
 */
export async function shiftClocks(context: PartContext): Promise<void> {
  const { campaign } = context
  const { fleet, violations } = campaign
  const digests = createDigestCheck(violations)
  const announcedRequests = new Set<string>()
  const takesOther = (event: AnnouncedEvent, text: string): boolean => {
    if (digests.add(event, text)) {
      const early = Date.parse(JSON.parse(text).time) - Date.now()
      if (early > 1_000) violations.add('announcement', `${event.id} is announced ${early} ms too early`)
      return true
    }
    if (isOfRequests(event)) announcedRequests.add(event.data.notification.id)
    return isOfRequests(event) || isAboutPeople(event)
  }
  const announcements = await startAnnouncementLog(context, takesOther)
  try {
    await Promise.all([...fleet.members].map(fleet.retire))
    fleet.preload(clockShift(0).module)
    fleet.use({
      KAFKA_NOTIFICATION_TOPIC: topicOf(context),
      ANNOUNCE_UNREAD_AFTER_MINUTES: '1',
      ANNOUNCE_UNREAD_PER_HOUR: '100000',
    })
    const grow = (shiftMs: number) => {
      fleet.use(clockShift(shiftMs).setting)
      return fleet.grow()
    }
    const { takenOver } = await killHolder(context, await grow(hourMs))
    const [ahead, behind] = [await grow(hourMs), await grow(-hourMs)]
    await grow(0)
    const requested = await requestThroughBoth(context, { ahead, behind }, hourMs)
    notes = { leaseTakenOverMs: await takenOver }
    await eraseThroughFaults(context)

    await untilAnnounced(context, announcements, 0)
    for (const id of announcements.missing(0)) violations.add('announcement', `${id} is not announced`)
    await untilDigestsAnnounced(context, announcements)
    if (digests.figures().digests === 0) violations.add('announcement', 'there was no digest')
    for (const id of requested) if (!announcedRequests.has(id)) violations.add('announcement', `${id} is not announced`)
    notes = { ...notes, requests: requested.length, ...digests.figures() }
    context.log(JSON.stringify(notes))
    await removeRequested(context)
  } finally {
    announcements.stop()
  }
}

/** @returns how long it takes until another member, which may start meanwhile, has the lease of the one that is killed */
async function killHolder({ campaign }: PartContext, member: StartedService): Promise<{ takenOver: Promise<number> }> {
  const { stored, violations, fleet } = campaign
  const leases = stored.database.collection<{ _id: string; holder: object; until: Date }>('leases')
  const read = () => leases.findOne({ _id: 'relay' })
  await until('the lease of the relay', async () => ((await read())?.until.getTime() ?? 0) > Date.now())
  const held = await read()
  const { localTime } = await stored.database.admin().command({ hello: 1 })
  const term = (held?.until.getTime() ?? 0) - localTime.getTime()
  if (term > 60_000) violations.add('recovery', `A holder whose clock is ahead holds its lease for ${term} ms`)
  member.kill('SIGKILL')
  await fleet.retire(member)
  const since = Date.now()
  const isOther = async () => String((await read())?.holder) !== String(held?.holder)
  const takenOver = until('another holder', isOther, { withinMs: 180_000 }).then(
    () => {
      const ms = Date.now() - since
      if (ms > takenOverWithinMs) violations.add('recovery', `The lease was taken over only after ${ms} ms`)
      return ms
    },
    (error) => {
      violations.add('recovery', String(error))
      return Date.now() - since
    },
  )
  return { takenOver }
}
