import { backoffMs, type Clock } from '@herald/runtime'
import type { Announcement } from '@herald/store'
import { inGroups } from '../consume/in-groups.ts'
import { type KafkaPort, RecordTooLarge } from '../consume/kafka-port.ts'
import { createRenewedProducer } from '../consume/renewed-producer.ts'
import { within } from '../consume/time-limit.ts'
import { createTopicSize } from '../consume/topic-size.ts'
import { batchBytesOf, type OutgoingRecord } from '../events/dead-letter.ts'
import { toRecords } from './announced-records.ts'

export type AnnouncementPublisher = {
  /**
   * Publishes to all replicas. May be repeated: the ids are the same.
   *
   * @throws RecordTooLarge if the topic rejects one of the records for its size
   */
  publish(announcements: readonly Announcement[], timeoutMs: number): Promise<void>
  /** Whether publishing failed so recently that it would probably fail again. */
  isPaused(): boolean
  close(): Promise<void>
}

export type AnnouncementPublisherDependencies = {
  readonly kafka: Pick<KafkaPort, 'connectProducer' | 'describeTopics'>
  readonly topic: string
  readonly source: string
  readonly clock: Clock
  /** Called with the number of published events of a kind. */
  readonly onPublished: (kind: Announcement['kind'], count: number) => void
}

const bytesPerRequest = 1024 * 1024
const pauses = { minPauseMs: 1_000, maxPauseMs: 30_000 } as const

export function createAnnouncementPublisher(dependencies: AnnouncementPublisherDependencies): AnnouncementPublisher {
  const { kafka, topic, source, clock, onPublished } = dependencies
  const producer = createRenewedProducer(kafka)
  const size = createTopicSize(kafka, topic)
  let failures = 0
  let pausedUntil = 0

  const inRequests = (records: readonly OutgoingRecord[], maxBytes: number) =>
    inGroups(records, { sizeOf: batchBytesOf, sumOf: (a, b) => a + b, isTooMuch: (bytes) => bytes > maxBytes })

  return {
    async publish(announcements, timeoutMs) {
      if (announcements.length === 0) return
      try {
        await producer.use(timeoutMs, async ({ send }) => {
          const records = announcements.flatMap((announcement) => toRecords(announcement, source))
          const maxBytes = Math.min(await size.get(), bytesPerRequest)
          for (const request of inRequests(records, maxBytes)) {
            await within(timeoutMs, send(request, { topic, timeoutMs }))
          }
        })
      } catch (error) {
        if (error instanceof RecordTooLarge) {
          size.forget()
          throw error
        }
        pausedUntil = clock().getTime() + backoffMs(failures++, pauses)
        throw error
      }
      failures = 0
      pausedUntil = 0
      for (const [kind, { length }] of Map.groupBy(announcements, ({ kind }) => kind)) onPublished(kind, length)
    },
    isPaused: () => clock().getTime() < pausedUntil,
    close: producer.close,
  }
}
