import { isDeepStrictEqual } from 'node:util'
import { comparedFields, expectedAnnouncement, notificationIdOf } from '../oracle/announced-notification.ts'
import { kindOf } from '../oracle/event-plan.ts'
import type { PartContext } from '../part.ts'
import { until } from '../until.ts'
import { startAnnouncementLog, topicOf, untilRead } from './announcements.ts'

/** Whether the members that stored an event announce it; while both kinds run, it depends on which of them stored it. */
type Announcing = 'yes' | 'no' | 'some'

/** Reads the announcements while members without the setting, or of a release without announcements, replace others, and back. */
export type RolledAnnouncements = {
  /** Says what the members do with the events to come, once all events up to now are stored. */
  become(announcing: Announcing): Promise<void>
  check(): Promise<Record<string, number>>
  stop(): void
}

export async function followRolledAnnouncements(context: PartContext): Promise<RolledAnnouncements> {
  const { campaign } = context
  const { plan, ledger, violations } = campaign
  const log = await startAnnouncementLog(context)
  const periods: { from: number; announcing: Announcing }[] = []
  /** How often each was announced when nothing was left to announce. */
  const settled = new Map<string, number>()

  /** Waits until everything is stored, announced if it will be, and read. */
  const settle = async () => {
    await campaign.drain()
    await ledger.refresh()
    if (periods.at(-1)?.announcing === 'yes') {
      const left = () => campaign.stored.fanOuts.countDocuments({ announceAt: { $exists: true } })
      await until('the relay to announce what was left to it', async () => (await left()) === 0)
    }
    await untilRead(context, log)
  }
  const announcingOf = (n: number) => periods.findLast(({ from }) => from <= n)?.announcing

  return {
    async become(announcing) {
      await settle()
      if (periods.at(-1)?.announcing === 'yes') {
        for (const [id, { count }] of log.announced) if (!settled.has(id)) settled.set(id, count)
      }
      periods.push({ from: ledger.end(), announcing })
    },
    async check() {
      await settle()
      const figures = { yes: 0, no: 0, some: 0, ofSomeAnnounced: 0, repeated: log.count() - log.announced.size }
      const unknown = new Set(log.announced.keys())
      for (let n = 0; n < ledger.end(); n++) {
        if (kindOf(n) !== 'mention' || !ledger.wasPublished(n)) continue
        const id = `${notificationIdOf(plan, n)}/1`
        const announcing = announcingOf(n) ?? 'no'
        const found = log.announced.get(id)
        unknown.delete(id)
        figures[announcing]++
        if (announcing === 'some' && found) figures.ofSomeAnnounced++
        if (announcing === 'yes' && !found) violations.add('announcement', `${id} is not announced`)
        if (announcing === 'no' && found)
          violations.add('announcement', `${id} is announced although its members announce nothing`)
        if (found && !isDeepStrictEqual(comparedFields(found.text), expectedAnnouncement(plan, n))) {
          violations.add('announcement', `${id} has other content: ${found.text}`)
        }
      }
      for (const id of unknown) violations.add('announcement', `${id} is announced although it does not exist`)
      for (const [id, count] of settled) {
        if (log.announced.get(id)?.count !== count) violations.add('announcement', `${id} is announced again`)
      }
      return figures
    },
    stop: log.stop,
  }
}

/** The setting with which this release announces. */
export const announcingSetting = (context: PartContext) => ({ KAFKA_NOTIFICATION_TOPIC: topicOf(context) })
