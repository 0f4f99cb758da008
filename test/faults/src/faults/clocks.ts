import type { PartContext } from '../part.ts'
import { startAnnouncementLog, topicOf, untilAnnounced } from './announcements.ts'
import { eraseThroughFaults } from './erasures.ts'
import { isAboutPeople } from './freeze.ts'

const preload = new URL('../preloads/shifted-clock.ts', import.meta.url).href
const hourMs = 60 * 60 * 1_000

/**
 * Runs one member an hour ahead and one an hour behind, while events of the last minute are stored, announced and erased, and
 * ingest, the broker and the primary are killed. No clock may show in what is stored, announced, refused or late.
 */
export async function shiftClocks(context: PartContext): Promise<void> {
  const { campaign } = context
  const { fleet, violations } = campaign
  const announcements = await startAnnouncementLog(context, isAboutPeople)
  try {
    await Promise.all([...fleet.members].map(fleet.retire))
    for (const shiftMs of [hourMs, -hourMs, 0]) {
      const nodeOptions = `--no-warnings --import ${preload}`
      const shift = { HERALD_CLOCK_SHIFT_MS: String(shiftMs), NODE_OPTIONS: nodeOptions }
      fleet.use({ KAFKA_NOTIFICATION_TOPIC: topicOf(context), ...shift })
      await fleet.grow()
    }
    await eraseThroughFaults(context)
    await untilAnnounced(context, announcements, 0)
    for (const id of announcements.missing(0)) violations.add('announcement', `${id} is not announced`)
  } finally {
    announcements.stop()
  }
}
