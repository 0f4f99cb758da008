import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { Kafka, type KafkaMessage, logLevel } from 'kafkajs'

/** The origin of a dead letter by its headers: topic/partition/offset. */
export const originOf = ({ headers }: KafkaMessage) =>
  ['topic', 'partition', 'offset'].map((part) => String(headers?.[`herald-origin-${part}`])).join('/')

/**
 * Reads a dead-letter topic from the beginning until it has letters of `count` distinct origins.
 * After a crash one origin may have two letters; both are returned.
 */
export async function readDeadLetters(brokers: string[], topic: string, count: number): Promise<KafkaMessage[]> {
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING })
  const consumer = kafka.consumer({ groupId: `e2e-${randomUUID()}` })
  const letters: KafkaMessage[] = []
  try {
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    await consumer.run({ eachMessage: async ({ message }) => void letters.push(message) })
    await eventually(() => new Set(letters.map(originOf)).size >= count, {
      description: `${count} dead letters in ${topic}`,
    })
    return [...letters]
  } finally {
    await consumer.disconnect()
  }
}
