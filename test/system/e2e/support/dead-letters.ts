import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { Kafka, type KafkaMessage, logLevel, type RecordMetadata } from 'kafkajs'

/** The origin of a dead letter by its headers: topic/partition/offset. */
export const originOf = ({ headers }: KafkaMessage) =>
  ['topic', 'partition', 'offset'].map((part) => String(headers?.[`herald-origin-${part}`])).join('/')

/** The origin that the dead letter of a record has which was published alone. */
export function originIn([published]: readonly RecordMetadata[]): string {
  if (!published) throw new Error('Nothing was published')
  return [published.topicName, published.partition, published.baseOffset].join('/')
}

/**
 * Reads a dead-letter topic from the beginning until it has letters of all these origins, and returns all letters.
 * After a crash one origin may have two letters; both are returned.
 */
export async function readDeadLetters(
  brokers: string[],
  topic: string,
  origins: readonly string[],
): Promise<KafkaMessage[]> {
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING })
  const consumer = kafka.consumer({ groupId: `e2e-${randomUUID()}`, maxWaitTimeInMs: 100 })
  const letters: KafkaMessage[] = []
  try {
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    await consumer.run({ eachMessage: async ({ message }) => void letters.push(message) })
    const isComplete = () => {
      const found = new Set(letters.map(originOf))
      return origins.every((origin) => found.has(origin))
    }
    await eventually(isComplete, { description: `${origins.length} dead letters in ${topic}` })
    return [...letters]
  } finally {
    await consumer.disconnect()
  }
}
