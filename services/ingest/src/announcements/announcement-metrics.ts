import type { Clock } from '@herald/runtime'
import type { Announcement, Announcements } from '@herald/store'
import { Counter, Gauge, type Registry } from 'prom-client'

/** Counting beyond it would cost more than the figure is worth. */
const countedAtMost = 100_000
const refreshMs = 15_000
const kinds = ['created', 'unread', 'retracted'] as const satisfies readonly Announcement['kind'][]

/** Creates the metrics of announcements. */
export function createAnnouncementMetrics(registry: Registry, clock: Clock) {
  const registers = [registry]
  const published = new Counter({
    name: 'herald_announcements_total',
    help: 'Announcements published, by kind (created, unread, retracted); a repeated one is counted again',
    labelNames: ['kind'],
    registers,
  })
  const skipped = new Counter({
    name: 'herald_announcements_skipped_total',
    help: 'Notifications and retractions that were not announced because of their age',
    registers,
  })
  for (const kind of kinds) published.inc({ kind }, 0)

  return {
    observePublished: (kind: Announcement['kind'], count: number) => published.inc({ kind }, count),
    observeSkipped: (count: number) => skipped.inc(count),
    /** Exposes what is due as of the last look, at most 15 s ago; nothing while MongoDB is unavailable. */
    showDue({ countDue }: Pick<Announcements, 'countDue'>) {
      let looked: { readonly at: number; readonly count: ReturnType<Announcements['countDue']> } | undefined
      const look = () => {
        const now = clock()
        if (looked === undefined || now.getTime() - looked.at >= refreshMs) {
          looked = { at: now.getTime(), count: countDue(now, countedAtMost) }
        }
        return looked.count
      }
      const show = (name: string, help: string, read: (count: Awaited<ReturnType<typeof look>>) => number) =>
        new Gauge({
          ...{ name, help, registers },
          async collect() {
            const count = await look().catch(() => undefined)
            if (count === undefined) this.remove()
            else this.set(read(count))
          },
        })
      show('herald_announcements_due', 'Announcements that wait; at least so many at 100,000', ({ due }) => due)
      show('herald_announcements_oldest_seconds', 'How long the oldest announcement has been waiting', ({ oldest }) =>
        oldest === undefined ? 0 : Math.max(0, (clock().getTime() - oldest.getTime()) / 1_000),
      )
    },
  }
}

export type AnnouncementMetrics = ReturnType<typeof createAnnouncementMetrics>
