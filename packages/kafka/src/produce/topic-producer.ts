import { within } from '@herald/runtime'
import { type KafkaPort, type OutgoingRecord, type RecordProducer, RecordTooLarge } from '../port/kafka-port.ts'
import { batchBytesOf } from './batch-bytes.ts'
import { createBatchLimit } from './batch-limit.ts'
import { inGroups } from './in-groups.ts'

/** A record to publish, and what to publish instead if the topic rejects it for its size. */
export type Sendable = { readonly record: OutgoingRecord; readonly smaller?: () => Sendable | undefined }

const bytesPerRequest = 1024 * 1024

/** Creates a producer that connects on first use, since the broker may be unavailable at startup. */
export function createTopicProducer(kafka: Pick<KafkaPort, 'connectProducer' | 'describeTopics'>, topic: string) {
  let connected: Promise<RecordProducer> | undefined
  const limit = createBatchLimit(kafka, topic)

  const send = async (producer: RecordProducer, items: readonly Sendable[], timeoutMs: number): Promise<void> => {
    const records = items.map(({ record }) => record)
    try {
      await within(timeoutMs, producer.send(records, { topic, timeoutMs }))
    } catch (error) {
      if (!(error instanceof RecordTooLarge)) throw error
      limit.forget()
      // A broker rejects a whole batch for the size of one record.
      const rest = items.length > 1 ? items : items.map((item) => item.smaller?.())
      for (const item of rest) {
        if (item === undefined) throw error
        await send(producer, [item], timeoutMs)
      }
    }
  }

  return {
    /**
     * Publishes to all replicas, in requests that the topic accepts. Connecting, and each request, may take `timeoutMs`.
     *
     * @param prepare makes the records, given the largest batch that the topic accepts, or 16 MiB while that is unknown
     * @throws RecordTooLarge if the topic rejects a record for its size
     */
    async publish(prepare: (maxBytes: number) => readonly Sendable[], timeoutMs: number): Promise<void> {
      connected ??= kafka.connectProducer({ retries: 1 })
      const current = connected
      try {
        const producer = await within(timeoutMs, current)
        const maxBytes = await limit.now()
        const limits = [Math.min(maxBytes, bytesPerRequest)]
        const requests = inGroups(prepare(maxBytes), limits, ({ record }) => [batchBytesOf(record)])
        for (const request of requests) await send(producer, request, timeoutMs)
      } catch (error) {
        if (error instanceof RecordTooLarge) throw error
        // A client may not recover from a lost connection.
        if (connected === current) connected = undefined
        current.then((producer) => producer.close()).catch(() => {})
        throw error
      }
    },
    async close(): Promise<void> {
      const producer = await connected?.catch(() => undefined)
      await producer?.close()
    },
  }
}
