import type { TopicKind } from '@herald/contracts'
import {
  brokersSetting,
  checkSasl,
  connectionSettings,
  notificationTopicSetting,
  topicNames,
  topicSettings,
} from '@herald/kafka'
import {
  authenticationSettings,
  budgetSettings,
  httpSettings,
  integerSetting,
  observationSettings,
  retentionSettings,
  storageSettings,
  textSetting,
} from '@herald/runtime'
import { z } from 'zod'
import { createCapturedChanges } from '../captured-changes/captured-changes.ts'
import { readMappingFile } from '../captured-changes/map/mapping-file.ts'
import { ingestBudgets } from '../http/budgets.ts'

function readMappings(file: string, context: z.RefinementCtx) {
  const read = readMappingFile(file)
  if (read.ok) return createCapturedChanges(read.mappings)
  for (const message of read.issues) context.addIssue({ code: 'custom', message })
  return z.NEVER
}

const kafkaSettings = {
  KAFKA_BROKERS: brokersSetting().meta({ description: 'Kafka brokers as host:port, comma-separated' }),
  KAFKA_GROUP_ID: textSetting().default('herald-ingest').meta({ description: 'Consumer group' }),
  ...topicSettings,
  ...connectionSettings,
  LIVENESS_STALL_SECONDS: integerSetting({ min: 10, max: 86_400 })
    .default(180)
    .meta({ description: 'Seconds without progress while records are waiting before /livez fails' }),
  CDC_MAPPINGS: z
    .string()
    .transform(readMappings)
    .optional()
    .meta({ description: 'YAML file that maps topics of Debezium to change entries; off if unset' }),
}

const announcementSettings = {
  ...notificationTopicSetting,
  EVENT_SOURCE: textSetting().default('/herald').meta({ description: 'CloudEvents source of announcements' }),
  ANNOUNCE_MAX_AGE_HOURS: integerSetting({ min: 1, max: 87_600 })
    .default(24)
    .meta({ description: 'Hours after which events stored for the first time are no longer announced' }),
  ANNOUNCE_UNREAD_AFTER_MINUTES: integerSetting({ min: 1, max: 10_080 })
    .optional()
    .meta({ description: 'Minutes after which unread notifications are announced; never if unset' }),
  ANNOUNCE_UNREAD_PER_HOUR: integerSetting({ min: 1, max: 100_000 }).default(5).meta({
    description: 'Announcements of unread notifications to a recipient in a clock hour; the last has the rest',
  }),
}

type Checked = Partial<z.output<z.ZodObject<typeof kafkaSettings & typeof announcementSettings>>>

/** Compares settings. A topic carries one kind of record: dead letters read as events would become dead letters again, forever. */
function checkTogether(settings: Checked, context: z.RefinementCtx): void {
  const reject = (name: keyof Checked, message: string) => context.addIssue({ code: 'custom', path: [name], message })
  checkSasl(settings, reject)
  for (const [index, name] of topicNames.entries()) {
    const topic = settings[name]
    if (topic === undefined) continue
    const earlier = topicNames.slice(0, index).find((other) => settings[other] === topic)
    if (earlier !== undefined) reject(name, `Must not be the same topic as ${earlier}`)
    if (settings.CDC_MAPPINGS?.topics.includes(topic)) reject('CDC_MAPPINGS', `Must not map ${topic}, which is ${name}`)
  }
  if (settings.KAFKA_NOTIFICATION_TOPIC === undefined && settings.ANNOUNCE_UNREAD_AFTER_MINUTES !== undefined) {
    reject('ANNOUNCE_UNREAD_AFTER_MINUTES', 'Requires KAFKA_NOTIFICATION_TOPIC')
  }
}

export const ingestSettingsSchema = z
  .object({
    ...httpSettings({ port: 3001, adminPort: 9001 }),
    ...budgetSettings(...ingestBudgets),
    ...observationSettings,
    ...storageSettings,
    ...authenticationSettings,
    ...kafkaSettings,
    ...announcementSettings,
    ...retentionSettings,
  })
  .superRefine(checkTogether)
export type IngestSettings = z.output<typeof ingestSettingsSchema>
export type KafkaSettings = z.output<typeof kafkaSettingsSchema>

/** The kind of records in a topic: events of the contract, or changes captured from a database. */
export type RecordKind = TopicKind | 'captured'

export function topicsReadBy(settings: KafkaSettings): ReadonlyMap<string, RecordKind> {
  const { KAFKA_PRIVACY_TOPIC: privacy, CDC_MAPPINGS: capturedChanges } = settings
  return new Map<string, RecordKind>([
    [settings.KAFKA_MENTION_TOPIC, 'mention'],
    [settings.KAFKA_CHANGE_TOPIC, 'change'],
    [settings.KAFKA_RECEIPT_TOPIC, 'receipt'],
    ...(privacy === undefined ? [] : [[privacy, 'privacy'] as const]),
    ...(capturedChanges?.topics ?? []).map((topic) => [topic, 'captured'] as const),
  ])
}

/** The settings of `migrate`. Documents expire only if `RETENTION_DAYS` is set. */
export const migrateSettingsSchema = z.object({ ...storageSettings, ...retentionSettings })

export const kafkaSettingsSchema = z.object(kafkaSettings).superRefine(checkTogether)

/** The settings of the commands that look into topics and MongoDB: those of ingest without its servers. */
export const commandSettingsSchema = z
  .object({ ...storageSettings, ...kafkaSettings, ...notificationTopicSetting, ...retentionSettings })
  .superRefine(checkTogether)
