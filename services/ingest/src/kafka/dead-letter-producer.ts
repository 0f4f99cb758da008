import kafkajs, { type Kafka, type Message, type Producer } from 'kafkajs'
import {
  type DeadLetter,
  type DeadLetters,
  type OutgoingRecord,
  toOutgoingRecord,
  withoutValue,
} from '../events/dead-letter.ts'

const { Partitioners } = kafkajs

export type DeadLetterProducer = DeadLetters & { close(): Promise<void> }

const bytesPerRequest = 1024 * 1024

const sizeOf = ({ value }: OutgoingRecord) => value?.length ?? 0

/** Requests of at most about 1 MiB: a broker refuses a whole batch for its size, not a record. */
function* inRequests(records: readonly OutgoingRecord[]): Generator<OutgoingRecord[]> {
  let request: OutgoingRecord[] = []
  let bytes = 0
  for (const record of records) {
    if (request.length > 0 && bytes + sizeOf(record) > bytesPerRequest) {
      yield request
      request = []
      bytes = 0
    }
    request.push(record)
    bytes += sizeOf(record)
  }
  if (request.length > 0) yield request
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && error.type === 'MESSAGE_TOO_LARGE'

/**
 * Publishes dead letters with `acks: all`. The idempotent producer is not used (it runs out of sequence after faults); a
 * dead letter that stands there twice is told by its origin.
 */
export function createDeadLetterProducer(kafka: Kafka, topic: string): DeadLetterProducer {
  let connected: Promise<Producer> | undefined

  const connect = async (): Promise<Producer> => {
    const producer = kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
      retry: { retries: 2 },
    })
    try {
      await producer.connect()
      return producer
    } catch (error) {
      await producer.disconnect().catch(() => {})
      throw error
    }
  }

  // After its connection was cut, kafkajs may ask a broker object that is not connected, for ever. So a producer that failed
  // is not asked again: the next try gets another one.
  const giveUp = (failed: Promise<Producer>): void => {
    if (connected === failed) connected = undefined
    failed.then((producer) => producer.disconnect()).catch(() => {})
  }

  const send = async (producer: Producer, records: readonly OutgoingRecord[]): Promise<void> => {
    try {
      await producer.send({ topic, acks: -1, timeout: 10_000, messages: records as Message[] })
    } catch (error) {
      if (!isTooLarge(error)) throw error
      const [only] = records
      if (records.length > 1) for (const record of records) await send(producer, [record])
      else if (only && only.value !== null) await send(producer, [withoutValue(only)])
      else throw error
    }
  }

  return {
    async publish(letters: readonly DeadLetter[]) {
      // Connected when first needed: the broker may be away when this is made.
      connected ??= connect()
      const current = connected
      try {
        const producer = await current
        for (const request of inRequests(letters.map(toOutgoingRecord))) await send(producer, request)
      } catch (error) {
        giveUp(current)
        throw error
      }
    },
    close: async () => {
      const producer = await connected?.catch(() => undefined)
      await producer?.disconnect()
    },
  }
}
