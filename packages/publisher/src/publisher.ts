import type { HeraldEvent } from './event.ts'
import { type EventMessage, type EventRecord, type MessageOptions, type Topics, toRecord } from './message.ts'

type Message = EventMessage & { headers: Record<string, string> }

/** The parts of a kafkajs producer that are used. The caller connects and disconnects it. */
export type BatchProducer = {
  sendBatch(batch: { acks: number; topicMessages: { topic: string; messages: Message[] }[] }): Promise<unknown>
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
    const batches = new Map<string, { topic: string; messages: Message[] }>()
    for (const { topic, key, value, headers } of records) {
      const place = JSON.stringify([topic, key])
      const batch = batches.get(place) ?? { topic, messages: [] }
      batch.messages.push({ key, value, headers: { ...headers } })
      batches.set(place, batch)
    }
    // A call for each subscriber, and so for one partition. If leaders change during a call for several, kafkajs may never send
    // what moved to a broker that has taken other records of that call, and still resolve.
    await Promise.all([...batches.values()].map((batch) => producer.sendBatch({ acks: -1, topicMessages: [batch] })))
  }

  return {
    /** Publishes events; those of a topic and subscriber in the given order. */
    publish: (...events: readonly HeraldEvent[]) =>
      publishRecords(events.map((event) => toRecord(event, { topics, mode }))),
    /** Publishes records made by `toRecord`, such as those of an outbox. */
    publishRecords,
  }
}
