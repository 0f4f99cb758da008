import type { KafkaPort } from './kafka-port.ts'
import { within } from './time-limit.ts'

/** Kafka's default. */
const defaultBytes = 1_048_588
const keptMs = 60_000
const askedMs = 2_000

/** Caches the largest batch that a topic accepts; Kafka's default while it is unknown. */
export function createTopicSize(
  kafka: Pick<KafkaPort, 'describeTopics'>,
  topic: string,
  now = () => performance.now(),
) {
  let known: { readonly bytes: Promise<number>; readonly expiresAt: number } | undefined

  const ask = async (): Promise<number> =>
    (await kafka.describeTopics([topic])).get(topic)?.maxBatchBytes || defaultBytes

  return {
    get(): Promise<number> {
      if (known === undefined || known.expiresAt < now()) {
        known = { bytes: within(askedMs, ask()).catch(() => defaultBytes), expiresAt: now() + keptMs }
      }
      return known.bytes
    },
    /** Drops a value that turned out to be wrong, so that the next call reads it again. */
    forget(): void {
      known = undefined
    },
  }
}
