import { backoffMs, within } from '@herald/runtime'
import type { KafkaPort } from '../port/kafka-port.ts'

/**
 * Assumed while the limit is unknown, so that nothing is omitted that the topic may accept: more than topics accept, and less
 * than brokers accept as a request.
 */
const unknownBytes = 16 * 1024 * 1024
const keptMs = 60_000
const sizeAskedMs = 2_000
/** Before the limit is asked for again after that failed. */
const pauses = { minPauseMs: 2_000, maxPauseMs: 10_000 } as const

/** Reads the largest batch that a topic accepts, and keeps it for a minute. */
export function createBatchLimit(kafka: Pick<KafkaPort, 'describeTopics'>, topic: string) {
  let asked: { readonly bytes: Promise<number>; expiresAt: number } | undefined
  let failures = 0

  const describe = async (): Promise<number | undefined> => {
    try {
      return (await within(sizeAskedMs, kafka.describeTopics([topic]))).get(topic)?.maxBatchBytes || undefined
    } catch {
      return undefined
    }
  }

  const ask = () => {
    const bytes = describe().then((found) => {
      failures = found === undefined ? failures + 1 : 0
      asking.expiresAt = performance.now() + (failures === 0 ? keptMs : backoffMs(failures - 1, pauses))
      return found ?? unknownBytes
    })
    const asking = { bytes, expiresAt: Number.POSITIVE_INFINITY }
    return asking
  }

  return {
    /** Resolves within 2 s, with 16 MiB if the limit is unknown. */
    now(): Promise<number> {
      if (asked === undefined || asked.expiresAt < performance.now()) asked = ask()
      return asked.bytes
    },
    /** Makes the next call read the limit again, unless reading it has failed, which has a pause of its own. */
    forget(): void {
      if (failures === 0) asked = undefined
    },
  }
}
