import kafkajs, { type Kafka, type Message, type Producer } from 'kafkajs'
import {
  batchBytesOf,
  type DeadLetter,
  type DeadLetters,
  type OutgoingRecord,
  toOutgoingRecord,
  toSmallerRecord,
} from '../events/dead-letter.ts'
import type { IncomingRecord } from '../events/incoming-record.ts'
import { within } from './time-limit.ts'
import { createTopicSize } from './topic-size.ts'

const { Partitioners } = kafkajs

export type DeadLetterProducer = DeadLetters & { close(): Promise<void> }

type Pair = { readonly letter: DeadLetter; readonly outgoing: OutgoingRecord }

const bytesPerRequest = 1024 * 1024
const tryMs = 5_000

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

/** Groups letters into requests of at most `maxBytes`, since a broker rejects a whole batch for its size. */
function* inRequests(pairs: readonly Pair[], maxBytes: number): Generator<Pair[]> {
  let request: Pair[] = []
  let bytes = 0
  for (const pair of pairs) {
    const size = batchBytesOf(pair.outgoing)
    if (request.length > 0 && bytes + size > maxBytes) {
      yield request
      request = []
      bytes = 0
    }
    request.push(pair)
    bytes += size
  }
  if (request.length > 0) yield request
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && error.type === 'MESSAGE_TOO_LARGE'

/**
 * Publishes dead letters with `acks: all`, omitting parts that are too large for the topic. A request is sent once, with a
 * timeout of 5 s, because the caller retries the whole chunk. The producer is not idempotent, since kafkajs's gets out of
 * sequence after errors; a duplicate dead letter can be recognized by its origin.
 */
export function createDeadLetterProducer(kafka: Kafka, topic: string): DeadLetterProducer {
  const size = createTopicSize(kafka, topic)
  let connected: Promise<Producer> | undefined

  const connect = async (): Promise<Producer> => {
    const producer = kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
      retry: { retries: 1 },
    })
    try {
      await producer.connect()
      return producer
    } catch (error) {
      await producer.disconnect().catch(() => {})
      throw error
    }
  }

  // After a lost connection kafkajs may keep using a disconnected broker object forever, so a producer that failed is
  // replaced.
  const giveUp = (failed: Promise<Producer>): void => {
    if (connected === failed) connected = undefined
    failed.then((producer) => producer.disconnect()).catch(() => {})
  }

  const send = async (producer: Producer, pairs: readonly Pair[]): Promise<void> => {
    const messages = pairs.map(({ outgoing }) => outgoing) as Message[]
    try {
      await within(tryMs, producer.send({ topic, acks: -1, timeout: tryMs, messages }))
    } catch (error) {
      const [only] = pairs
      if (!isTooLarge(error) || only === undefined) throw error
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
      // Connects on first use, since the broker may be unavailable at startup.
      connected ??= connect()
      const current = connected
      try {
        const producer = await within(tryMs, current)
        const maxBytes = await size.get()
        const pairs = letters.map((letter) => ({ letter, outgoing: toOutgoingRecord(letter, maxBytes) }))
        for (const request of inRequests(pairs, Math.min(maxBytes, bytesPerRequest))) await send(producer, request)
      } catch (error) {
        giveUp(current)
        throw isTooLarge(error) ? error : new DeadLettersUnavailable(letters, error)
      }
    },
    close: async () => {
      const producer = await connected?.catch(() => undefined)
      await producer?.disconnect()
    },
  }
}
