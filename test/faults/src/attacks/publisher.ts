import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import kafkajs, { Kafka, logLevel, Partitioners, type TopicMessages } from 'kafkajs'
import type { AttackMessage, Batches } from './attack.ts'

const { CompressionCodecs, CompressionTypes } = kafkajs

CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: ({ buffer }: { buffer: Buffer }) => promisify(zstdCompress)(buffer),
  decompress: (buffer: Buffer) => promisify(zstdDecompress)(buffer),
})

const codecs = { none: CompressionTypes.None, gzip: CompressionTypes.GZIP, zstd: CompressionTypes.ZSTD } as const

export type PublisherTopic = 'mention' | 'receipt' | 'captured'
type Place = { readonly topic: string; readonly partition: number; readonly offset: number }

export type Publisher = {
  /** @returns the place of each message, in order */
  publish(topic: string, partition: number, messages: readonly AttackMessage[], batches?: Batches): Promise<Place[]>
  stop(): Promise<void>
}

/** Publishes batches of a given number of records, compressed or not. */
export async function startPublisher(broker: string): Promise<Publisher> {
  const kafka = new Kafka({ clientId: 'faults-attacker', brokers: broker.split(','), logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner, retry: { retries: 0 } })
  await producer.connect()
  return {
    async publish(topic, partition, messages, { perBatch = 1, codec = 'none' } = {}) {
      const places: Place[] = []
      for (let from = 0; from < messages.length; from += perBatch) {
        const batch = messages.slice(from, from + perBatch)
        const topicMessages: TopicMessages[] = [
          { topic, messages: batch.map((message) => toMessage(message, partition)) },
        ]
        const [sent] = await producer.sendBatch({ topicMessages, acks: -1, compression: codecs[codec] })
        const first = Number(sent?.baseOffset)
        for (const [index] of batch.entries()) places.push({ topic, partition, offset: first + index })
      }
      return places
    },
    stop: () => producer.disconnect(),
  }
}

const toMessage = ({ key, value, headers = {} }: AttackMessage, partition: number) => ({
  partition,
  key: key ?? null,
  value,
  headers,
})
