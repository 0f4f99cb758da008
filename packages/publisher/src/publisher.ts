import type { HeraldEvent } from './event.ts'
import { type EventMessage, type EventRecord, type MessageOptions, type Topics, toRecord } from './message.ts'

/** The parts of a kafkajs producer that are used. The caller connects and disconnects it. */
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
 * Publishes with a kafkajs producer. The promise resolves once all in-sync replicas have the events. If it rejects, some may have
 * been published; publish all of them again, because events with the same `id` and `time` are stored once.
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
    /** Publishes events in the given order. */
    publish: (...events: readonly HeraldEvent[]) =>
      publishRecords(events.map((event) => toRecord(event, { topics, mode }))),
    /** Publishes records made by `toRecord`, such as those of an outbox. */
    publishRecords,
  }
}
