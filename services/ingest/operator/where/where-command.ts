import { type DeadLetterReason, limits } from '@herald/contracts'
import { commandSettingsSchema } from '#ingest/settings/config'
import { defineCommand, from } from '../command-line/command.ts'
import { type FoundDeadLetter, originOf } from '../dead-letters/found-dead-letter.ts'
import { type Answer, answers, showAnswer, toJson } from './answer.ts'
import { answerFromStorage } from './answer-from-storage.ts'
import { publishedSince, toQuestion, whereOptions } from './question.ts'
import { type Searched, searchDeadLetters, searchRecords, type TopicSearch } from './search-topics.ts'

export const whereCommand = defineCommand({
  name: 'where',
  summary: 'Finds an event, or says why it cannot be found',
  settings: commandSettingsSchema,
  options: whereOptions,
  notes: [
    'Looks in MongoDB first, then at the records that ingest has not read, at the dead letters, and at those that it has read. It changes nothing, and prints no names, texts, e-mail addresses or states.',
    '',
    'Exit codes of the answers:',
    ...Object.entries(answers).map(([name, { exitCode, meaning }]) => `  ${exitCode}  ${name}: ${meaning}`),
  ],
  async run(options, { settings, print, openStore, openKafka, clock }) {
    const question = toQuestion(options)
    const now = clock()
    const store = openStore(settings)
    const since = options.since === undefined ? publishedSince(question.time, now) : new Date(options.since)
    const search: TopicSearch = { question, kafka: openKafka(settings), settings, since, now }
    let receiptsWaiting = 0
    const lookUp = async (): Promise<Answer | undefined> => {
      const found = await from('MongoDB', store.eventLookup.find(question))
      receiptsWaiting = found.receiptsForIt.length
      return answerFromStorage(question, found, { now, retentionDays: settings.RETENTION_DAYS })
    }
    const searchTopics = async (): Promise<Answer> => {
      const pending = await from('Kafka', searchRecords(search, 'pending', options.scan))
      const letter = await from('Kafka', searchDeadLetters(search))
      // It may have been stored since the first look.
      const answer = (await lookUp()) ?? answerFromTopics(pending, letter)
      return answer ?? answerFromCommitted(since, await from('Kafka', searchRecords(search, 'committed', options.scan)))
    }
    // Kafka is only needed if MongoDB has no trace.
    const found = (await lookUp()) ?? (await searchTopics())
    const answer = { ...found, details: { ...found.details, receiptsWaiting: receiptsWaiting || undefined } }
    for (const line of options.json ? [toJson(question.id, answer)] : showAnswer(question.id, answer)) print(line)
    return answers[answer.answer].exitCode
  },
})

type Codes = readonly DeadLetterReason[]
const ofEvent: Codes = ['not_cloudevent', 'not_json', 'unsafe_json', 'invalid_attributes', 'invalid_data']
const ofRow: Codes = ['row_unreadable', 'before_missing', 'key_missing', 'time_missing', 'transaction_order_missing']
/** Follow from the record alone, whenever it is sent. */
const hopeless: readonly string[] = ['record_too_large', 'record_unreadable', ...ofEvent, ...ofRow]
const ofMapping: readonly string[] = [
  'subscriber_missing',
  'user_missing',
  'mapping_failed',
  'too_many_changes',
] satisfies Codes

function nextAfter({ code }: FoundDeadLetter, origin: string): string {
  if (hopeless.includes(code)) {
    return 'sent back it would fail again: the publisher has to send it anew, as the detail says.'
  }
  const replay = `herald dead-letters replay --origin ${origin} sends it back.`
  return ofMapping.includes(code) ? `correct the mapping; then ${replay}` : replay
}

function answerFromTopics(
  { record, total, notSearched }: Searched,
  letter: FoundDeadLetter | undefined,
): Answer | undefined {
  const hint = 'herald status shows the lag and the rate of each partition.'
  if (record !== undefined) {
    return { answer: 'not consumed yet', summary: 'Ingest has not read its record.', details: { record }, hint }
  }
  if (letter !== undefined) {
    const origin = originOf(letter)
    // The origin is chosen by the writers of the dead-letter topic.
    const isPlain = /^[\w.-]+\/\d+\/\d+$/.test(origin)
    const next = `herald dead-letters show ${origin} prints it; ${nextAfter(letter, origin)}`
    return {
      answer: 'dead',
      summary: 'It could not be stored.',
      details: { origin, code: letter.code, detail: letter.detail.slice(0, limits.deadLetterDetailBytes) || undefined },
      ...(isPlain && { hint: next }),
    }
  }
  if (notSearched === 0) return undefined
  const summary = `It may be among ${notSearched} records that ingest has not read and that were not searched.`
  return { answer: 'not consumed yet', summary, hint: `--scan ${total} searches them.` }
}

/** After what would explain the missing trace was looked for. */
function answerFromCommitted(since: Date, { record, total, notSearched }: Searched): Answer {
  if (record !== undefined) {
    return {
      answer: 'not stored',
      summary: 'Ingest has read its record, and MongoDB has no trace of it.',
      details: { record },
      hint: 'A receipt leaves none once it is applied, nor does a row that its mapping skips. For anything else, MongoDB was restored from a backup: herald status says so, and herald restored reads the record again.',
    }
  }
  if (notSearched > 0) {
    const summary = `It may be among ${notSearched} records that ingest has read and that were not searched.`
    return { answer: 'not stored', summary, hint: `--scan ${total} searches them.` }
  }
  return {
    answer: 'never seen',
    summary: 'There is no trace of it in MongoDB, or in the topics since it was published.',
    details: { searchedSince: since },
    hint: 'Another source, id or time is another event: compare them with the publisher, also the fraction of the time. Dead letters whose value is missing are only in herald dead-letters list.',
  }
}
