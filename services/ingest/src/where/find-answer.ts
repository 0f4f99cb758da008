import type { FoundEvent } from '@herald/store'
import { from } from '../command-line/read-settings.ts'
import type { Answer } from './answer.ts'
import { answerFromStorage, withReceipts } from './answer-from-storage.ts'
import { answerFromTopics } from './answer-from-topics.ts'
import type { Question } from './question.ts'
import { searchDeadLetters, searchPending, type TopicSearchDependencies } from './search-topics.ts'

export type FindAnswerDependencies = TopicSearchDependencies & {
  readonly lookUp: () => Promise<FoundEvent>
  readonly retentionDays: number | undefined
}

export type FindAnswerOptions = {
  /** Records that ingest has not read and that are searched at most. */
  readonly scan: number
  /** Search dead letters from then on. */
  readonly since: Date
}

/**
 * Follows the event's way: a record is in MongoDB, not read yet, or a dead letter. It may be stored between the looks, so
 * MongoDB is asked again at the end. Kafka is only needed if MongoDB has no trace.
 */
export function createFindAnswer(dependencies: FindAnswerDependencies) {
  const { lookUp, now, retentionDays } = dependencies
  return async (question: Question, { scan, since }: FindAnswerOptions): Promise<Answer> => {
    const facts = { question, now, retentionDays }
    const stored = answerFromStorage({ ...facts, found: await lookUp() })
    if (stored) return stored
    const pending = await from('Kafka', searchPending(question, scan, dependencies))
    const dead = await from('Kafka', searchDeadLetters(question, since, dependencies))
    const found = await lookUp()
    return (
      answerFromStorage({ ...facts, found }) ??
      withReceipts(answerFromTopics({ pending, dead, isEvent: question.event !== undefined }), { found })
    )
  }
}
