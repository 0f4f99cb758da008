import { Kafka, logLevel, type Message, Partitioners, type RecordMetadata } from 'kafkajs'

/** The parts of a CloudEvents 1.0 event that Herald requires, including the extension `subscriberid`. */
export type CloudEvent = {
  id: string
  source: string
  type: string
  time: Date
  subscriberId: string
  data: object
}

/** An event and its topic. */
export type SampleEvent = {
  topic: string
  event: CloudEvent
}

/** Encodes an event in structured mode. */
export function structuredMessage({ id, source, type, time, subscriberId, data }: CloudEvent): Message {
  const attributes = { specversion: '1.0', id, source, type, time: time.toISOString(), subscriberid: subscriberId }
  return {
    key: subscriberId,
    value: JSON.stringify({ ...attributes, datacontenttype: 'application/json', data }),
    headers: { 'content-type': 'application/cloudevents+json' },
  }
}

/** Encodes an event in binary mode. */
export function binaryMessage({ id, source, type, time, subscriberId, data }: CloudEvent): Message {
  return {
    key: subscriberId,
    value: JSON.stringify(data),
    headers: {
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: id,
      ce_source: source,
      ce_type: type,
      ce_time: time.toISOString(),
      ce_subscriberid: subscriberId,
    },
  }
}

export type Publisher = Awaited<ReturnType<typeof connectPublisher>>

/** Connects a producer. */
export async function connectPublisher(brokers: readonly string[]) {
  const kafka = new Kafka({ clientId: 'herald-samples', brokers: [...brokers], logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()

  return {
    /** Publishes events in alternating modes and returns their partitions and offsets. */
    publish(events: readonly SampleEvent[]): Promise<RecordMetadata[]> {
      const topics = [...new Set(events.map(({ topic }) => topic))]
      return producer.sendBatch({
        acks: -1,
        topicMessages: topics.map((topic) => ({
          topic,
          messages: events
            .filter((event) => event.topic === topic)
            .map(({ event }, index) => (index % 2 === 0 ? structuredMessage(event) : binaryMessage(event))),
        })),
      })
    },
    stop: () => producer.disconnect(),
  }
}
