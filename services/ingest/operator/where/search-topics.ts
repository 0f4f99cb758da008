import { deriveEventId, readCloudEvent } from '@herald/contracts'
import type { IncomingRecord, KafkaPort } from '@herald/kafka'
import { type KafkaSettings, topicsReadBy } from '#ingest/settings/config'
import { type FoundDeadLetter, toFoundDeadLetter } from '../dead-letters/found-dead-letter.ts'
import type { Question } from './question.ts'

export type TopicSearch = {
  readonly question: Question
  readonly kafka: Pick<KafkaPort, 'createPositionReader' | 'readToEnd' | 'offsetsSince'>
  readonly settings: KafkaSettings
  /** No record of the event is older. */
  readonly since: Date
  readonly now: Date
}

export type Searched = Awaited<ReturnType<typeof searchRecords>>

/**
 * Searches the records that the group has not committed, or those that it has, topic by topic, without topics that have more than
 * `scan` left.
 *
 * @returns the place of the record, and how many records there are and were not searched
 */
export async function searchRecords(search: TopicSearch, which: 'pending' | 'committed', scan: number) {
  const { kafka, settings, since } = search
  const reader = kafka.createPositionReader(settings.KAFKA_GROUP_ID, [...topicsReadBy(settings).keys()])
  const positions = await reader.read().finally(() => reader.close())
  let [total, notSearched] = [0, 0]
  let record: string | undefined
  for (const [topic, ofTopic] of Map.groupBy(positions, (position) => position.topic)) {
    const starts = new Map((await kafka.offsetsSince(topic, since)).map(({ partition, from }) => [partition, from]))
    const ranges = ofTopic.flatMap(({ partition, committed, end }) => {
      const start = starts.get(partition) ?? committed
      const from = which === 'committed' || start > committed ? start : committed
      const to = which === 'committed' ? committed : end
      return from < to ? [{ partition, from, count: Number(to - from) }] : []
    })
    const count = ranges.reduce((sum, range) => sum + range.count, 0)
    total += count
    if (total - notSearched > scan) {
      notSearched += count
      continue
    }
    const find = async (found: IncomingRecord) => {
      if (!contains(found, search)) return 'continue'
      record = `${topic}/${found.partition}/${found.offset}`
      return 'stop'
    }
    await kafka.readToEnd(topic, find, { offsets: new Map(ranges.map(({ partition, from }) => [partition, from])) })
    if (record !== undefined) break
  }
  return { record, total, notSearched }
}

export async function searchDeadLetters(search: TopicSearch): Promise<FoundDeadLetter | undefined> {
  let newest: FoundDeadLetter | undefined
  const find = async (record: IncomingRecord) => {
    const letter = toFoundDeadLetter(record)
    if (contains({ ...record, ...letter.original, topic: letter.topic }, search)) newest = letter
  }
  await search.kafka.readToEnd(search.settings.KAFKA_DEAD_LETTER_TOPIC, find, { since: search.since })
  return newest
}

/** Whether the record is the event. One that is no valid event, and so is or becomes a dead letter, is compared by its text. */
function contains(record: IncomingRecord, { question, settings, now }: TopicSearch): boolean {
  const { subscriberId, id, event: asked } = question
  const { topic, key, value, headers } = record
  if (settings.CDC_MAPPINGS?.topics.includes(topic)) {
    const decision = settings.CDC_MAPPINGS.decide(record, { now })
    return decision.kind === 'change-entries' && decision.documents.some((entry) => entry.id === id)
  }
  const read = readCloudEvent({ value, headers })
  if (read.ok) {
    const { subscriberid, source, time, id: eventId } = read.attributes
    return subscriberid === subscriberId && deriveEventId({ subscriberId, source, id: eventId, time }) === id
  }
  if (asked === undefined) return false
  const quoted = [key, ...Object.values(headers).flat()].map((part) => JSON.stringify(String(part)))
  const text = [String(value), ...quoted].join('\n').toLowerCase()
  return [subscriberId, asked.source, asked.id].every((part) => text.includes(JSON.stringify(part).toLowerCase()))
}
