import type { HeraldEvent } from './event.ts'
import { type EventMessage, type EventRecord, type MessageOptions, type Topics, toRecord } from './message.ts'

/** What is needed of a producer of kafkajs, which is connected and disconnected elsewhere. */
export type BatchProducer = {
  sendBatch(batch: {
    acks: number
    topicMessages: { topic: string; messages: (EventMessage & { headers: Record<string, string> })[] }[]
  }): Promise<unknown>
}

export type PublisherOptions = MessageOptions & {
  readonly producer: BatchProducer
  readonly topics?: Topics | undefined
}

/**
 * Publishes by a producer of kafkajs. A promise that is fulfilled says that every broker that has to has the events; after a
 * rejected one some may be there. They may all be published again: with the same `id` and `time` they count once.
 */
export function createPublisher({ producer, topics, mode }: PublisherOptions) {
  async function publishRecords(records: readonly EventRecord[]): Promise<void> {
    const byTopic = new Map<string, (EventMessage & { headers: Record<string, string> })[]>()
    for (const { topic, key, value, headers } of records) {
      byTopic.set(topic, [...(byTopic.get(topic) ?? []), { key, value, headers: { ...headers } }])
    }
    const topicMessages = [...byTopic].map(([topic, messages]) => ({ topic, messages }))
    if (topicMessages.length > 0) await producer.sendBatch({ acks: -1, topicMessages })
  }

  return {
    /** Events in the order in which they happened. */
    publish: (...events: readonly HeraldEvent[]) =>
      publishRecords(events.map((event) => toRecord(event, { topics, mode }))),
    /** Records that were made before, by `toRecord`, such as those of an outbox. */
    publishRecords,
  }
}
