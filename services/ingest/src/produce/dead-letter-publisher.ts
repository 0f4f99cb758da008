import {
  createTopicProducer,
  type IncomingRecord,
  type KafkaPort,
  type OutgoingRecord,
  RecordTooLarge,
  type Sendable,
} from '@herald/kafka'
import { type DeadLetter, type DeadLetters, toOutgoingRecord, toSmallerRecord } from './dead-letter.ts'

export type DeadLetterPublisher = DeadLetters & { close(): Promise<void> }

const placeOf = ({ topic, partition }: IncomingRecord) => `${topic}/${partition}`

/** The letters could not be published, and an immediate retry would fail as well. */
export class DeadLettersUnavailable extends Error {
  override readonly name = 'DeadLettersUnavailable'
  readonly #places: ReadonlySet<string>

  constructor(letters: readonly DeadLetter[], cause: unknown) {
    super('The dead-letter topic is unavailable', { cause })
    this.#places = new Set(letters.map(({ record }) => placeOf(record)))
  }

  concerns(record: IncomingRecord): boolean {
    return this.#places.has(placeOf(record))
  }
}

/**
 * Publishes dead letters, omitting parts that are too large for the topic. A request is sent once, with a timeout, because the
 * caller retries the whole chunk. A duplicate dead letter can be recognized by its origin.
 */
export function createDeadLetterPublisher(
  kafka: Pick<KafkaPort, 'connectProducer' | 'describeTopics'>,
  topic: string,
  timeoutMs: number,
): DeadLetterPublisher {
  const { publish, close } = createTopicProducer(kafka, topic)
  const toSendable = (letter: DeadLetter, record: OutgoingRecord): Sendable => ({
    record,
    smaller() {
      const smaller = toSmallerRecord(letter, record)
      return smaller && toSendable(letter, smaller)
    },
  })
  return {
    async publish(letters) {
      try {
        await publish(
          (maxBytes) => letters.map((letter) => toSendable(letter, toOutgoingRecord(letter, maxBytes))),
          timeoutMs,
        )
      } catch (error) {
        throw error instanceof RecordTooLarge ? error : new DeadLettersUnavailable(letters, error)
      }
    },
    close,
  }
}
