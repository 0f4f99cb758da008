import { createHash } from 'node:crypto'
import type { OutgoingRecord } from '../events/dead-letter.ts'
import type { FoundDeadLetter } from './found-dead-letter.ts'

/** Appends the records to the partition in order. Resolves when they are durable. */
export type SendRecords = (topic: string, partition: number, records: readonly OutgoingRecord[]) => Promise<void>

/** Numbers of dead letters: sent back, skipped as duplicates, and skipped because a part of the record is missing. */
type ReplayCounts = { sent: number; repeated: number; omitted: number }

export type Replay = {
  add(letter: FoundDeadLetter): Promise<void>
  finish(): Promise<ReplayCounts>
}

const recordsPerSend = 100
const bytesPerSend = 512 * 1024

/**
 * Sends records back to their origin with the same topic, partition, key, value and headers. A record that failed again
 * has two dead letters with different origins; it is sent once. Herald ignores events it has already stored, so a second
 * replay is safe.
 *
 * @param send `undefined` in a dry run
 */
export function createReplay(send: SendRecords | undefined, onProgress: (sent: number) => void): Replay {
  const counts: ReplayCounts = { sent: 0, repeated: 0, omitted: 0 }
  const seen = new Set<string>()
  let pending: FoundDeadLetter[] = []
  let bytes = 0

  const flush = async (): Promise<void> => {
    for (const letters of groupByPlace(pending)) {
      const { topic, partition } = letters[0]
      await send?.(
        topic,
        partition,
        letters.map(({ original }) => original),
      )
    }
    counts.sent += pending.length
    pending = []
    bytes = 0
    onProgress(counts.sent)
  }

  return {
    async add(letter) {
      if (letter.omitted.length > 0) return void counts.omitted++
      const content = contentOf(letter)
      if (seen.has(content)) return void counts.repeated++
      seen.add(content)
      pending.push(letter)
      bytes += letter.original.value?.length ?? 0
      if (pending.length >= recordsPerSend || bytes >= bytesPerSend) await flush()
    },
    async finish() {
      if (pending.length > 0) await flush()
      return counts
    },
  }
}

type Letters = [FoundDeadLetter, ...FoundDeadLetter[]]

function groupByPlace(letters: readonly FoundDeadLetter[]): Letters[] {
  const groups = new Map<string, Letters>()
  for (const letter of letters) {
    const place = `${letter.topic}/${letter.partition}`
    const group = groups.get(place)
    if (group) group.push(letter)
    else groups.set(place, [letter])
  }
  return [...groups.values()]
}

/** Hashes topic, key, value and headers: records with the same hash are duplicates. */
function contentOf({ topic, original: { key, value, headers } }: FoundDeadLetter): string {
  const hash = createHash('sha256')
  const add = (bytes: Buffer | string | null) => {
    hash.update(`${bytes === null ? -1 : Buffer.byteLength(bytes)}:`)
    if (bytes !== null) hash.update(bytes)
  }
  add(topic)
  add(key)
  add(value)
  for (const name of Object.keys(headers).sort()) {
    add(name)
    for (const one of [headers[name] ?? []].flat()) add(one)
  }
  return hash.digest('base64')
}
