import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { Kafka, logLevel } from 'kafkajs'
import type { Event } from './events.ts'

/** Reads a topic of announcements from the beginning until the condition holds for what it has. */
export async function readAnnouncements(
  brokers: string[],
  topic: string,
  isComplete: (events: readonly Event[]) => boolean,
): Promise<Event[]> {
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING })
  const consumer = kafka.consumer({ groupId: `e2e-${randomUUID()}`, maxWaitTimeInMs: 100 })
  const events: Event[] = []
  try {
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    await consumer.run({ eachMessage: async ({ message }) => void events.push(JSON.parse(String(message.value))) })
    await eventually(() => isComplete(events), { within: 60_000, description: `the announcements in ${topic}` })
    return [...events]
  } finally {
    await consumer.disconnect()
  }
}
