import type { CapturedChanges } from '../captured-changes/captured-changes.ts'
import type { GroupPosition, KafkaPort } from '../consume/kafka-port.ts'
import { laterOffset } from '../consume/later-offset.ts'
import { type FoundDeadLetter, toFoundDeadLetter } from '../dead-letters/found-dead-letter.ts'
import type { IncomingRecord } from '../events/incoming-record.ts'
import type { DeadLetterSearch, PendingRecords } from './answer-from-topics.ts'
import { isSameEvent } from './is-same-event.ts'
import type { Question } from './question.ts'

export type TopicSearchDependencies = {
  readonly kafka: Pick<KafkaPort, 'createPositionReader' | 'readToEnd' | 'offsetsSince'>
  readonly groupId: string
  /** Those that ingest reads. */
  readonly topics: readonly string[]
  readonly deadLetterTopic: string
  readonly capturedChanges: CapturedChanges | undefined
  readonly now: Date
}

/** A record of an event is published at most this long before the event's time: clocks differ. */
const clockMs = 60 * 60 * 1_000
const dayMs = 24 * 60 * 60 * 1_000
const lettersKept = 20

/** No record of the event is older. An event whose time is ahead may have been published at any time. */
export function publishedSince(time: Date, now: Date): Date {
  return new Date(time > now ? now.getTime() - dayMs : time.getTime() - clockMs)
}

/** Searches the records that the group has not committed, at most `scan` of them. */
export async function searchPending(
  question: Question,
  scan: number,
  dependencies: TopicSearchDependencies,
): Promise<PendingRecords> {
  const { kafka, topics, now } = dependencies
  const positions = await readPositions(dependencies)
  const behind = sum(positions.map(({ committed, end }) => end - committed))
  const since = publishedSince(question.time, now)
  let [searched, notSearched] = [0, 0]
  let found: PendingRecords['found']
  for (const topic of topics) {
    const open = positions.filter((position) => position.topic === topic && position.committed < position.end)
    if (open.length === 0) continue
    const starts = new Map((await kafka.offsetsSince(topic, since)).map(({ partition, from }) => [partition, from]))
    const ranges = open.map(({ partition, committed, end }) => {
      const start = starts.get(partition) ?? committed
      return { partition, committed, end, start: laterOffset(start, committed) }
    })
    const records = sum(ranges.map(({ start, end }) => end - start))
    if (searched + records > scan) {
      notSearched += records
      continue
    }
    searched += records
    const offsets = new Map(ranges.map(({ partition, start }) => [partition, start]))
    await kafka.readToEnd(
      topic,
      async (record) => {
        if (!isWanted(record, question, dependencies)) return 'continue'
        const { partition, offset } = record
        const committed = ranges.find((range) => range.partition === partition)?.committed ?? 0n
        found = { topic, partition, offset, ahead: Number(BigInt(offset) - committed) }
        return 'stop'
      },
      { offsets },
    )
    if (found !== undefined) break
  }
  return { behind, searched, notSearched, found }
}

export async function searchDeadLetters(
  question: Question,
  since: Date,
  dependencies: TopicSearchDependencies,
): Promise<DeadLetterSearch> {
  const { kafka, deadLetterTopic } = dependencies
  const letters: FoundDeadLetter[] = []
  let unidentified = 0
  await kafka.readToEnd(
    deadLetterTopic,
    async (record) => {
      const letter = toFoundDeadLetter(record)
      const { original, omitted, topic } = letter
      if (isWanted({ ...record, ...original, topic }, question, dependencies)) {
        // Without the record, which may be large.
        letters.push({ ...letter, original: { key: null, value: null, headers: {} } })
        if (letters.length > lettersKept) letters.shift()
      } else if (omitted.length > 0 && mayBelongTo(question.subscriberId, original.key)) {
        unidentified++
      }
    },
    { since },
  )
  return { since, letters, unidentified }
}

function isWanted(record: IncomingRecord, question: Question, dependencies: TopicSearchDependencies): boolean {
  const { capturedChanges, now } = dependencies
  if (!capturedChanges?.topics.includes(record.topic)) return isSameEvent(record, question)
  const decision = capturedChanges.decide(record, { now })
  return decision.kind === 'change-entries' && decision.entries.some(({ id }) => id === question.id)
}

/** The key of a record is its subscriber, unless it was omitted or the publisher uses another one. */
const mayBelongTo = (subscriberId: string, key: Buffer | null) =>
  key === null || key.toString().toLowerCase() === subscriberId

async function readPositions({ kafka, groupId, topics }: TopicSearchDependencies): Promise<readonly GroupPosition[]> {
  const reader = kafka.createPositionReader(groupId, topics)
  try {
    return await reader.read()
  } finally {
    await reader.close()
  }
}

const sum = (numbers: readonly bigint[]) => Number(numbers.reduce((total, one) => total + one, 0n))
