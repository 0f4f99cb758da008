import { randomUUID } from 'node:crypto'
import { type AnnouncedEvent, announcedEventSchema } from '@herald/contracts'
import { eventually } from '@herald/test-servers'
import kafkajs from 'kafkajs'

/** An event as published, and as its schema reads it. */
export type Received = { readonly raw: Record<string, unknown>; readonly event: AnnouncedEvent; readonly key: string }

/** Collects all events of a topic of announcements, which must exist. */
export async function followAnnouncements(brokers: readonly string[], topic: string) {
  const kafka = new kafkajs.Kafka({ clientId: 'test', brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING })
  const consumer = kafka.consumer({ groupId: `announced-${randomUUID()}`, maxWaitTimeInMs: 100 })
  const received: Received[] = []
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    async eachMessage({ message: { key, value, headers } }) {
      if (String(headers?.['content-type']) !== 'application/cloudevents+json')
        throw new Error('Not in structured mode')
      const raw = JSON.parse(String(value))
      received.push({ raw, event: announcedEventSchema.parse(raw), key: String(key) })
    },
  })
  return {
    received,
    /** The events with these ids, once all have been received. */
    async withIds(ids: readonly string[]): Promise<Received[]> {
      const find = (id: string) => received.find(({ event }) => event.id === id)
      await eventually(() => ids.every(find))
      return ids.map((id) => find(id) as Received)
    },
    stop: () => consumer.disconnect(),
  }
}
