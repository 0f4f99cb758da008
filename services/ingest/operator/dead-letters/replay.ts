import { hash } from 'node:crypto'
import type { OutgoingRecord } from '@herald/kafka'
import type { FoundDeadLetter } from './found-dead-letter.ts'

/** Appends the records to the partition in order. Resolves when they are durable. */
export type SendRecords = (topic: string, partition: number, records: readonly OutgoingRecord[]) => Promise<void>

type ReplayCounts = {
  sent: number
  repeated: number
  omitted: number
  /** Skipped because nothing may be sent to their topic. */
  readonly elsewhere: Map<string, number>
}

export type ReplayDependencies = {
  /** Topics that may be sent to: anyone who writes to the dead-letter topic chooses the origin of a letter. */
  readonly topics: readonly string[]
  readonly send: SendRecords
  readonly onProgress: (sent: number) => void
}

const recordsPerSend = 100
const bytesPerSend = 512 * 1024

/**
 * Sends records back to their origin with the same topic, partition, key, value and headers. A record that failed again
 * has two dead letters with different origins; it is sent once. Herald ignores events it has already stored, so a second
 * replay is safe.
 */
export function createReplay({ topics, send, onProgress }: ReplayDependencies) {
  const counts: ReplayCounts = { sent: 0, repeated: 0, omitted: 0, elsewhere: new Map() }
  const seen = new Set<string>()
  let pending: FoundDeadLetter[] = []
  let bytes = 0

  const flush = async (): Promise<void> => {
    const byPlace = Map.groupBy(pending, ({ topic, partition }) => `${topic}/${partition}`)
    for (const letters of byPlace.values()) {
      const { topic, partition } = letters[0] as FoundDeadLetter
      const records = letters.map(({ original }) => original)
      await send(topic, partition, records)
    }
    counts.sent += pending.length
    pending = []
    bytes = 0
    onProgress(counts.sent)
  }

  return {
    async add(letter: FoundDeadLetter): Promise<void> {
      const { topic, omitted, original } = letter
      if (!topics.includes(topic)) return void counts.elsewhere.set(topic, (counts.elsewhere.get(topic) ?? 0) + 1)
      if (omitted.length > 0) return void counts.omitted++
      const content = contentOf(letter)
      if (seen.has(content)) return void counts.repeated++
      seen.add(content)
      pending.push(letter)
      bytes += original.value?.length ?? 0
      if (pending.length >= recordsPerSend || bytes >= bytesPerSend) await flush()
    },
    async finish(): Promise<ReplayCounts> {
      if (pending.length > 0) await flush()
      return counts
    },
  }
}

/** Hashes topic, key, value and headers: records with the same hash are duplicates. */
function contentOf({ topic, original: { key, value, headers } }: FoundDeadLetter): string {
  const text = (bytes: Buffer | string | null) => (bytes === null ? null : Buffer.from(bytes).toString('base64'))
  const named = Object.keys(headers).sort()
  const all = named.map((name) => [name, [headers[name] ?? []].flat().map(text)])
  return hash('sha256', JSON.stringify([topic, text(key), text(value), all]), 'base64')
}
