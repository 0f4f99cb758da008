import { randomUUID } from 'node:crypto'
import { createEvents, createPublisher } from '@herald/publisher'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import type { Composition } from './composition.ts'

export const events = createEvents({ source: '/containers' })

/** Connects a publisher to the broker of the composition. */
export async function connectPublisher({ brokers }: Composition) {
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner, allowAutoTopicCreation: false })
  await producer.connect()
  const headers = { 'content-type': 'application/cloudevents+json' }
  return {
    publish: createPublisher({ producer }).publish,
    /** Publishes a value that Herald may reject. */
    publishValue: (topic: string, value: string) => producer.send({ topic, acks: -1, messages: [{ value, headers }] }),
    disconnect: () => producer.disconnect(),
  }
}

export type Publisher = Awaited<ReturnType<typeof connectPublisher>>

/** A mention of the recipients, at a location of its own. */
export const mentionData = (recipientIds: readonly string[]) => ({
  actor: { id: randomUUID(), name: 'Ada', image: '' },
  actorType: 'user' as const,
  subjectId: randomUUID(),
  subjectType: 'user' as const,
  locationId: randomUUID(),
  locationType: 'comment' as const,
  metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', entityType: 'portfolio' as const } },
  recipientIds: [...recipientIds],
})

export const changeData = (userId: string) => ({
  user: { id: userId, name: 'Ada', email: 'ada@example.com' },
  entityType: 'portfolio',
  entityId: 'p-1',
  entityTitle: 'Portfolio',
  actionType: 'update',
  changedField: 'title',
  beforeState: 'a',
  afterState: 'b',
})
