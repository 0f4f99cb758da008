import type { Clock, Logger, Releasers } from '@herald/runtime'
import type { Announcing, Store } from '@herald/store'
import type { Registry } from 'prom-client'
import type { Settings } from '../config.ts'
import type { KafkaPort } from '../consume/kafka-port.ts'
import type { StorageGate } from '../storage-gate.ts'
import { type AnnounceCreated, createAnnounceCreated } from './announce-created.ts'
import { type AnnouncementMetrics, createAnnouncementMetrics } from './announcement-metrics.ts'
import { createAnnouncementPublisher } from './announcement-publisher.ts'
import { createAnnouncementRelay } from './announcement-relay.ts'

const hourMs = 60 * 60 * 1_000
const minuteMs = 60 * 1_000

type Enabled = {
  readonly topic: string
  readonly source: string
  readonly metrics: AnnouncementMetrics
  /** Passed to the store, which notes announcements for later. */
  readonly announcing: Announcing
}

/** Whether and what to announce; `undefined` without a topic. */
export function enableAnnouncements(settings: Settings, registry: Registry, now: Clock): Enabled | undefined {
  const { KAFKA_NOTIFICATION_TOPIC: topic, ANNOUNCE_UNREAD_AFTER_MINUTES: minutes } = settings
  if (topic === undefined) return undefined
  const metrics = createAnnouncementMetrics(registry, now)
  const maxAgeMs = settings.ANNOUNCE_MAX_AGE_HOURS * hourMs
  return {
    ...{ topic, source: settings.EVENT_SOURCE, metrics },
    announcing: {
      isRecent: (time) => time.getTime() >= now().getTime() - maxAgeMs,
      onTooOld: metrics.observeSkipped,
      now,
      unreadAfterMs: minutes === undefined ? undefined : minutes * minuteMs,
    },
  }
}

export type AnnouncerDependencies = Enabled & {
  readonly kafka: KafkaPort
  readonly store: Pick<Store, 'announcements' | 'digests' | 'leases'>
  readonly gate: StorageGate
  /** The id of this process. */
  readonly holder: string
  readonly clock: Clock
  readonly logger: Logger
  readonly releasers: Releasers
}

/** Announces what is stored. The relay is not started yet. */
export type Announcer = { readonly announceCreated: AnnounceCreated; start(): void }

export function createAnnouncer(dependencies: AnnouncerDependencies): Announcer {
  const { topic, source, metrics, announcing, kafka, store, gate, holder, clock, logger, releasers } = dependencies
  const publisher = createAnnouncementPublisher({ kafka, topic, source, clock, onPublished: metrics.observePublished })
  releasers.add('announcement producer', () => publisher.close())
  const { unreadAfterMs } = announcing
  const relay = createAnnouncementRelay({ ...store, publisher, gate, holder, clock, logger, unreadAfterMs })
  releasers.add('announcement relay', () => relay.stop())
  metrics.showDue(store.announcements)
  return {
    announceCreated: createAnnounceCreated({ announcements: store.announcements, publisher, clock, logger }),
    start: () => relay.start(),
  }
}
