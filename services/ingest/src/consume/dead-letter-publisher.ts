import {
  batchBytesOf,
  type DeadLetter,
  type DeadLetters,
  type OutgoingRecord,
  toOutgoingRecord,
  toSmallerRecord,
} from '../events/dead-letter.ts'
import type { IncomingRecord } from '../events/incoming-record.ts'
import { inGroups } from './in-groups.ts'
import { type KafkaPort, type RecordProducer, RecordTooLarge } from './kafka-port.ts'
import { createRenewedProducer } from './renewed-producer.ts'
import { within } from './time-limit.ts'
import { createTopicSize } from './topic-size.ts'

export type DeadLetterPublisher = DeadLetters & { close(): Promise<void> }

type Pair = { readonly letter: DeadLetter; readonly outgoing: OutgoingRecord }

const bytesPerRequest = 1024 * 1024
const timeoutMs = 5_000

const placeOf = ({ topic, partition }: IncomingRecord) => `${topic}/${partition}`

/** The letters could not be published, and an immediate retry would fail as well. */
export class DeadLettersUnavailable extends Error {
  override readonly name = 'DeadLettersUnavailable'
  readonly #places: ReadonlySet<string>

  constructor(letters: readonly DeadLetter[], cause: unknown) {
    super('The dead-letter topic is unavailable', { cause })
    this.#places = new Set(letters.map(({ record }) => placeOf(record)))
  }

  /** Whether the letters include one of the record's partition. */
  concerns(record: IncomingRecord): boolean {
    return this.#places.has(placeOf(record))
  }
}

/** Groups letters into requests, since a broker rejects a whole batch for its size. */
function inRequests(pairs: readonly Pair[], maxBytes: number): Generator<Pair[]> {
  return inGroups(pairs, {
    sizeOf: ({ outgoing }) => batchBytesOf(outgoing),
    sumOf: (a, b) => a + b,
    isTooMuch: (bytes) => bytes > maxBytes,
  })
}

/**
 * Publishes dead letters to all replicas, omitting parts that are too large for the topic. A request is sent once, with a
 * timeout of 5 s, because the caller retries the whole chunk. A duplicate dead letter can be recognized by its origin.
 */
export function createDeadLetterPublisher(
  kafka: Pick<KafkaPort, 'connectProducer' | 'describeTopics'>,
  topic: string,
): DeadLetterPublisher {
  const size = createTopicSize(kafka, topic)
  const renewed = createRenewedProducer(kafka)

  const send = async (producer: RecordProducer, pairs: readonly Pair[]): Promise<void> => {
    const records = pairs.map(({ outgoing }) => outgoing)
    try {
      await within(timeoutMs, producer.send(records, { topic, timeoutMs }))
    } catch (error) {
      const [only] = pairs
      if (!(error instanceof RecordTooLarge) || only === undefined) throw error
      size.forget()
      if (pairs.length > 1) {
        for (const pair of pairs) await send(producer, [pair])
        return
      }
      const outgoing = toSmallerRecord(only.letter, only.outgoing)
      if (outgoing === undefined) throw error
      await send(producer, [{ ...only, outgoing }])
    }
  }

  return {
    async publish(letters: readonly DeadLetter[]) {
      try {
        await renewed.use(timeoutMs, async (producer) => {
          const maxBytes = await size.get()
          const pairs = letters.map((letter) => ({ letter, outgoing: toOutgoingRecord(letter, maxBytes) }))
          for (const request of inRequests(pairs, Math.min(maxBytes, bytesPerRequest))) await send(producer, request)
        })
      } catch (error) {
        throw error instanceof RecordTooLarge ? error : new DeadLettersUnavailable(letters, error)
      }
    },
    close: renewed.close,
  }
}
