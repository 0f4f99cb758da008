import { type FoundDeadLetter, originOf } from '../dead-letters/found-dead-letter.ts'
import type { Answer } from './answer.ts'

/** Where a record is. */
type RecordPlace = { readonly topic: string; readonly partition: number; readonly offset: string }

/** The position of the group, and the records that it has not read. */
export type PendingRecords = {
  /** Records that ingest has not read, of all topics. */
  readonly behind: number
  /** How many of them are newer than the event and were searched. */
  readonly searched: number
  /** How many were not searched, because there are too many. */
  readonly notSearched: number
  readonly found: (RecordPlace & { readonly ahead: number }) | undefined
}

export type DeadLetterSearch = {
  readonly since: Date
  readonly letters: readonly FoundDeadLetter[]
  /** Dead letters of the subscriber whose event is unknown, because a part of the record is missing. */
  readonly unidentified: number
}

export type TopicFacts = {
  readonly pending: PendingRecords
  readonly dead: DeadLetterSearch
  readonly isEvent: boolean
}

/** Answers from Kafka, if MongoDB has no trace of the event. */
export function answerFromTopics({ pending, dead, isEvent }: TopicFacts): Answer {
  const { found, behind, notSearched } = pending
  if (found) {
    return {
      answer: 'not consumed yet',
      summary: `Ingest has to read ${found.ahead} records of its partition before it.`,
      details: { record: `${found.topic}/${found.partition}/${found.offset}`, behind },
      hints: ['herald status shows the lag and the rate of each partition.'],
    }
  }
  const letter = dead.letters.at(-1)
  if (letter) return answerDead(letter, dead.letters.length)
  if (notSearched > 0) {
    return {
      answer: 'not consumed yet',
      summary: `It may be among ${notSearched} records that ingest has not read and that were not searched.`,
      details: { behind, searched: pending.searched },
      hints: [`--scan ${behind} searches them.`, 'herald status shows the lag and the rate of each partition.'],
    }
  }
  return {
    answer: 'never seen',
    summary:
      'There is no trace of it in MongoDB, among the dead letters, or among the records that ingest has not read.',
    details: {
      behind,
      deadLettersSince: dead.since.toISOString(),
      ...(dead.unidentified > 0 ? { unidentifiedDeadLetters: dead.unidentified } : {}),
    },
    hints: [
      ...(isEvent
        ? [
            'Another source, id or time is another event: compare them with the publisher, also the fraction of the time.',
          ]
        : []),
      'A receipt that was applied is visible only at its notification: ask with --notification and --recipient.',
      'Notifications of releases without retractions are found with --recipient only.',
      ...(dead.unidentified > 0 ? ['herald dead-letters list shows dead letters whose record is incomplete.'] : []),
    ],
  }
}

function answerDead(letter: FoundDeadLetter, count: number): Answer {
  const origin = originOf(letter)
  const { code, detail, time, omitted } = letter
  return {
    answer: 'dead',
    summary: 'It could not be stored.',
    details: {
      ...{ code, detail, origin, offset: letter.offset, deadSince: time.toISOString() },
      ...(count > 1 ? { deadLetters: count } : {}),
      ...(omitted.length > 0 ? { omitted: omitted.join(', ') } : {}),
    },
    hints: [
      ...(omitted.length > 0
        ? [
            `The dead letter is incomplete and cannot be replayed; the record is at ${origin} as long as its topic keeps it.`,
          ]
        : [`Once the cause is fixed: herald dead-letters replay --origin ${origin}`]),
      `herald dead-letters show ${origin} prints the record.`,
    ],
  }
}
