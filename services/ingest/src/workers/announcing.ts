import type { Announcement, Announcements, Announcing } from '@herald/feed'
import type { KafkaPort } from '@herald/kafka'
import { type Clock, type LeaseDependencies, type Logger, type Releasers, systemClock } from '@herald/runtime'
import type { Store } from '@herald/store'
import { Counter, type Registry } from 'prom-client'
import { createAnnounceCreated, createAnnouncementPublisher } from '../produce/announcement-publisher.ts'
import type { IngestSettings } from '../settings/config.ts'
import { createAnnouncementRelay } from './announcement-relay.ts'
import { createShownCount, secondsSince } from './shown-count.ts'

const hourMs = 60 * 60 * 1_000
const minuteMs = 60 * 1_000

type Enabled = NonNullable<ReturnType<typeof enableAnnouncements>>

/** Whether and what to announce; `undefined` without a topic. */
export function enableAnnouncements(settings: IngestSettings, registry: Registry, now: Clock, countedMs: number) {
  const { KAFKA_NOTIFICATION_TOPIC: topic, ANNOUNCE_UNREAD_AFTER_MINUTES: minutes } = settings
  if (topic === undefined) return undefined
  const metrics = createAnnouncementMetrics(registry, now, countedMs)
  const maxAgeMs = settings.ANNOUNCE_MAX_AGE_HOURS * hourMs
  /** Passed to the store, which notes announcements for later. */
  const announcing: Announcing = {
    isRecent: (time) => time.getTime() >= now().getTime() - maxAgeMs,
    onTooOld: metrics.observeSkipped,
    now,
    unreadAfterMs: minutes === undefined ? undefined : minutes * minuteMs,
    unreadPerHour: settings.ANNOUNCE_UNREAD_PER_HOUR,
  }
  return { topic, source: settings.EVENT_SOURCE, metrics, announcing }
}

export type AnnouncerDependencies = Enabled &
  LeaseDependencies & {
    readonly kafka: KafkaPort
    readonly store: Pick<Store, 'announcements' | 'digests'>
    readonly logger: Logger
    readonly releasers: Releasers
    /** Between two looks for what is due. */
    readonly everyMs: number
  }

export function createAnnouncer(dependencies: AnnouncerDependencies) {
  const { topic, source, metrics, announcing, kafka, store, logger, releasers, ...leased } = dependencies
  const { announcements, digests } = store
  const publisher = createAnnouncementPublisher({
    kafka,
    topic,
    source,
    clock: systemClock,
    onPublished: metrics.observePublished,
  })
  releasers.add('announcement producer', () => publisher.close())
  const { unreadAfterMs } = announcing
  const relay = createAnnouncementRelay({ ...leased, announcements, digests, publisher, logger, unreadAfterMs })
  releasers.add('announcement relay', () => relay.stop())
  metrics.showDue(announcements)
  return {
    announceCreated: createAnnounceCreated({ publisher, now: leased.now, logger }),
    start: () => relay.start(),
  }
}

/** Counting beyond it would cost more than the figure is worth. */
const countedAtMost = 100_000
const kinds = ['created', 'unread', 'retracted'] as const satisfies readonly Announcement['kind'][]

/** `countedMs`: the age up to which the last count of what is due is shown. */
function createAnnouncementMetrics(registry: Registry, clock: Clock, countedMs: number) {
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
    /** Exposes what is due as of the last look; nothing while MongoDB is unavailable. */
    showDue({ countDue }: Pick<Announcements, 'countDue'>) {
      const show = createShownCount(registry, () => countDue(clock(), countedAtMost), countedMs)
      show('herald_announcements_due', 'Announcements that wait; at least so many at 100,000', ({ due }) => due)
      show('herald_announcements_oldest_seconds', 'How long the oldest announcement has been waiting', ({ oldest }) =>
        secondsSince(oldest, clock()),
      )
    },
  }
}
