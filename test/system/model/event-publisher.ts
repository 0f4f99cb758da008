import { eventually, type HeraldTopics } from '@herald/test-servers'
import { Kafka, logLevel, Partitioners } from 'kafkajs'

/** A CloudEvent, and the topic it belongs to. */
export type Event = {
  readonly topic: 'mention' | 'change' | 'receipt' | 'privacy'
  readonly id: string
  readonly type: string
  readonly time: string
  readonly subscriberid: string
  readonly data: Readonly<Record<string, unknown>>
}

export type EventPublisher = {
  /** Publishes events to their topics at once. Resolves when ingest has committed all of them. */
  handle(events: readonly Event[]): Promise<void>
  stop(): Promise<void>
}

export const source = '/model'

/** Publishes to a Herald with this consumer group. */
export async function createEventPublisher(
  brokers: readonly string[],
  topics: HeraldTopics,
  groupId: string,
): Promise<EventPublisher> {
  const kafka = new Kafka({ clientId: 'herald-model', brokers: [...brokers], logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner, allowAutoTopicCreation: false })
  const admin = kafka.admin()
  await Promise.all([producer.connect(), admin.connect()])
  return {
    async handle(events) {
      const byTopic = [...Map.groupBy(events, ({ topic }) => topics[topic])]
      const sent = await producer.sendBatch({
        topicMessages: byTopic.map(([topic, some]) => ({ topic, messages: some.map(toMessage) })),
      })
      const missing = new Map(sent.map((one) => [`${one.topicName}/${one.partition}`, one]))
      // The end of each partition, which other worlds may have moved on: they wait a little longer, too.
      const ends = await Promise.all(
        byTopic.map(async ([topic]) => [topic, await admin.fetchTopicOffsets(topic)] as const),
      )
      const isCommitted = async () => {
        const committed = await admin.fetchOffsets({ groupId, topics: byTopic.map(([topic]) => topic) })
        return ends.every(([topic, partitions]) =>
          partitions
            .filter(({ partition }) => missing.has(`${topic}/${partition}`))
            .every(({ partition, high }) => {
              const found = committed
                .find((one) => one.topic === topic)
                ?.partitions.find((one) => one.partition === partition)
              return BigInt(found?.offset ?? -1) >= BigInt(high)
            }),
        )
      }
      await eventually(isCommitted, { within: 120_000, description: 'ingest has committed all events' })
    },
    async stop() {
      await Promise.all([producer.disconnect(), admin.disconnect()])
    },
  }
}

const toMessage = ({ topic: _, ...event }: Event) => ({
  key: event.subscriberid,
  value: JSON.stringify({ specversion: '1.0', source, ...event }),
  headers: { 'content-type': 'application/cloudevents+json' },
})
