import kafkajs, { type Kafka, type Message } from 'kafkajs'
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
  const producer = kafka.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
    retry: { retries: 2 },
  })
  let connected: Promise<void> | undefined

  // Connected when first needed, and again after a connection that failed: the broker may be away when this is made.
  const connect = () => {
    connected ??= producer.connect().catch((error: unknown) => {
      connected = undefined
      throw error
    })
    return connected
  }

  const send = async (records: readonly OutgoingRecord[]): Promise<void> => {
    try {
      await producer.send({ topic, acks: -1, timeout: 10_000, messages: records as Message[] })
    } catch (error) {
      if (!isTooLarge(error)) throw error
      const [only] = records
      if (records.length > 1) for (const record of records) await send([record])
      else if (only && only.value !== null) await send([withoutValue(only)])
      else throw error
    }
  }

  return {
    async publish(letters: readonly DeadLetter[]) {
      await connect()
      for (const request of inRequests(letters.map(toOutgoingRecord))) await send(request)
    },
    close: async () => {
      if (connected) await producer.disconnect()
    },
  }
}
