import { CommandFailure, defineCommand, exitCodes } from '../command-line/command.ts'
import { from, readSettings, topicsReadBy } from '../command-line/read-settings.ts'
import { commandSettingsSchema } from '../config.ts'
import { addAnnouncement } from './add-announcement.ts'
import { answers, showAnswer, toJson } from './answer.ts'
import { createFindAnswer } from './find-answer.ts'
import { toQuestion, whereOptions } from './question.ts'
import { publishedSince } from './search-topics.ts'

const codesOfAnswers = Object.entries(answers).map(
  ([name, { exitCode, meaning }]) => `  ${exitCode}  ${name}: ${meaning}`,
)

export const whereCommand = defineCommand({
  name: 'where',
  summary: 'Finds an event, or says why it cannot be found',
  options: whereOptions,
  notes: [
    'Looks in MongoDB first, then at the records that ingest has not read and at the dead letters. It changes nothing, and prints no names, texts, e-mail addresses or states.',
    ['Exit codes of the answers:', ...codesOfAnswers].join('\n'),
  ],
  async run(options, { environment, print, openStore, openKafka, clock }) {
    const settings = readSettings(commandSettingsSchema, { environment })
    const topic = settings.KAFKA_NOTIFICATION_TOPIC
    if (options.announced && topic === undefined) {
      throw new CommandFailure('KAFKA_NOTIFICATION_TOPIC: Required with --announced', exitCodes.usage)
    }
    const { MONGODB_URI: uri, MONGODB_DATABASE: database, RETENTION_DAYS: retentionDays } = settings
    const store = openStore({ uri, database, retentionDays })
    const question = toQuestion(options)
    const now = clock()
    const kafka = openKafka(settings)
    const findAnswer = createFindAnswer({
      kafka,
      groupId: settings.KAFKA_GROUP_ID,
      topics: topicsReadBy(settings),
      deadLetterTopic: settings.KAFKA_DEAD_LETTER_TOPIC,
      capturedChanges: settings.CDC_MAPPINGS,
      lookUp: () => from('MongoDB', store.eventLookup.find({ ...question, recipientId: question.recipientId })),
      ...{ now, retentionDays },
    })
    const since = options.since === undefined ? publishedSince(question.time, now) : new Date(options.since)
    const found = await findAnswer(question, { scan: options.scan, since })
    const answer =
      options.announced && topic !== undefined
        ? await from('Kafka', addAnnouncement(found, question, kafka, topic))
        : found
    for (const line of options.json ? [toJson(question.id, answer)] : showAnswer(question.id, answer)) print(line)
    return answers[answer.answer].exitCode
  },
})
