import type { Announcement, DueBatch } from '@herald/feed'
import { createTopicProducer, type KafkaPort, RecordTooLarge } from '@herald/kafka'
import { backoffMs, type Clock, type Logger } from '@herald/runtime'
import { toRecords } from './announced-records.ts'

export type AnnouncementPublisher = ReturnType<typeof createAnnouncementPublisher>

export type AnnouncementPublisherDependencies = {
  readonly kafka: Pick<KafkaPort, 'connectProducer' | 'describeTopics'>
  readonly topic: string
  readonly source: string
  readonly clock: Clock
  readonly onPublished: (kind: Announcement['kind'], count: number) => void
}

const pauses = { minPauseMs: 1_000, maxPauseMs: 30_000 } as const

export function createAnnouncementPublisher(dependencies: AnnouncementPublisherDependencies) {
  const { kafka, topic, source, clock, onPublished } = dependencies
  const producer = createTopicProducer(kafka, topic)
  let failures = 0
  let pausedUntil = 0

  return {
    /**
     * Publishes the announcements of items to all replicas. May be repeated: the ids are the same.
     *
     * @throws RecordTooLarge if the topic rejects one of the records for its size
     */
    async publish(items: DueBatch['items'], timeoutMs: number): Promise<void> {
      const announcements = items.flatMap((item) => item.announcements)
      if (announcements.length === 0) return
      try {
        const prepare = () => announcements.flatMap((one) => toRecords(one, source).map((record) => ({ record })))
        await producer.publish(prepare, timeoutMs)
      } catch (error) {
        if (!(error instanceof RecordTooLarge)) pausedUntil = clock().getTime() + backoffMs(failures++, pauses)
        throw error
      }
      failures = 0
      pausedUntil = 0
      for (const [kind, { length }] of Map.groupBy(announcements, ({ kind }) => kind)) onPublished(kind, length)
    },
    /** Whether publishing failed so recently that it would probably fail again. */
    isPaused: () => clock().getTime() < pausedUntil,
    close: producer.close,
  }
}

type AnnounceCreatedDependencies = {
  readonly publisher: Pick<AnnouncementPublisher, 'publish' | 'isPaused'>
  /** The time by MongoDB's clock. */
  readonly now: Clock
  readonly logger: Pick<Logger, 'warn'>
}

/** Announces what was just stored, or leaves it to the relay. Throws only if MongoDB is unavailable. */
export type AnnounceCreated = (created: DueBatch) => Promise<void>

/** The limit is short, because events wait for it. */
const createdTimeoutMs = 2_000

export function createAnnounceCreated({ publisher, now, logger }: AnnounceCreatedDependencies): AnnounceCreated {
  return async ({ items, settle, postpone }) => {
    if (items.length === 0) return
    if (publisher.isPaused()) return postpone(items, now())
    try {
      await publisher.publish(items, createdTimeoutMs)
    } catch (err) {
      logger.warn({ err, notifications: items.length }, 'Could not announce notifications, leaving them to the relay')
      return postpone(items, now())
    }
    await settle(items)
  }
}
