import { randomUUID } from 'node:crypto'
import { Kafka, type KafkaMessage, logLevel } from 'kafkajs'
import { eventually } from './polling.ts'

/** Where a dead letter says that it came from. */
export const originOf = ({ headers }: KafkaMessage) =>
  ['topic', 'partition', 'offset'].map((part) => String(headers?.[`herald-origin-${part}`])).join('/')

/**
 * Reads a dead-letter topic from its beginning until the letters come from `count` different places.
 * After a crash one place may have two letters; both are returned.
 */
export async function readDeadLetters(brokers: string[], topic: string, count: number): Promise<KafkaMessage[]> {
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING })
  const consumer = kafka.consumer({ groupId: `e2e-${randomUUID()}` })
  const letters: KafkaMessage[] = []
  try {
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    await consumer.run({ eachMessage: async ({ message }) => void letters.push(message) })
    await eventually(() => new Set(letters.map(originOf)).size >= count, { what: `${count} dead letters in ${topic}` })
    return [...letters]
  } finally {
    await consumer.disconnect()
  }
}
