import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import kafkajs, { CompressionTypes, Kafka, logLevel } from 'kafkajs'
import { partitions } from './drain.ts'
import { changeEvent } from './events.ts'

/** About 8 MiB of records per batch. */
const recordsPerBatch = 12_000
const entities = 600
const least = 47

/**
 * Publishes change events in zstd, in batches of 8 MiB. Returns how many times smaller they are: ids that count, and few
 * entities, compress well.
 *
 * @throws Error when they are less than 47 times smaller
 */
export async function fillCompressed(brokers: readonly string[], topic: string, count: number) {
  let plain = 0
  let compressed = 0
  kafkajs.CompressionCodecs[CompressionTypes.ZSTD] = () => ({
    async compress({ buffer }: { buffer: Buffer }) {
      const bytes = zstdCompressSync(buffer)
      plain += buffer.length
      compressed += bytes.length
      return bytes
    },
    decompress: async (buffer: Buffer) => zstdDecompressSync(buffer),
  })
  const producer = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).producer()
  await producer.connect()
  for (let start = 0, partition = 0; start < count; start += recordsPerBatch, partition++) {
    const messages = Array.from({ length: Math.min(recordsPerBatch, count - start) }, (_, i) => {
      const { key, value, headers } = changeEvent((start + i) % entities)
      const event = { ...JSON.parse(value), id: `change ${start + i}` }
      return { key, value: JSON.stringify(event), headers, partition: partition % partitions }
    })
    await producer.send({ topic, acks: -1, compression: CompressionTypes.ZSTD, messages })
  }
  await producer.disconnect()
  if (plain < least * compressed) throw new Error(`Compressed only ${(plain / compressed).toFixed(1)}:1`)
  return plain / compressed
}
