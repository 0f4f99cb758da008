import { defaultTopics } from '@herald/contracts'
import {
  authenticationSettings,
  booleanSetting,
  httpSettings,
  integerSetting,
  listSetting,
  observationSettings,
  retentionSettings,
  storageSettings,
  textSetting,
} from '@herald/runtime'
import { z } from 'zod'
import { mappingsSetting } from './captured-changes/mappings-setting.ts'

const topicSetting = () => z.string().regex(/^[A-Za-z0-9._-]{1,249}$/, { error: 'Must be the name of a Kafka topic' })

const kafkaSettings = {
  KAFKA_BROKERS: listSetting(
    z.string().regex(/^[^\s:]+:\d{1,5}$/, { error: 'Must be a comma-separated list of host:port' }),
  ).meta({ description: 'Kafka brokers as host:port, comma-separated' }),
  KAFKA_GROUP_ID: textSetting().default('herald-ingest').meta({ description: 'Consumer group' }),
  KAFKA_MENTION_TOPIC: topicSetting().default(defaultTopics.mention).meta({ description: 'Topic of mention events' }),
  KAFKA_CHANGE_TOPIC: topicSetting().default(defaultTopics.change).meta({ description: 'Topic of change events' }),
  KAFKA_RECEIPT_TOPIC: topicSetting().default(defaultTopics.receipt).meta({ description: 'Topic of receipt events' }),
  KAFKA_PRIVACY_TOPIC: topicSetting().optional().meta({ description: 'Topic of erasures of persons; off if unset' }),
  KAFKA_DEAD_LETTER_TOPIC: topicSetting()
    .default(defaultTopics.deadLetter)
    .meta({ description: 'Topic for records that cannot be processed' }),
  KAFKA_SSL: booleanSetting().default(false).meta({ description: 'Whether to connect to the brokers over TLS' }),
  KAFKA_SASL_MECHANISM: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512'])
    .optional()
    .meta({ description: 'plain, scram-sha-256 or scram-sha-512; requires username and password' }),
  KAFKA_SASL_USERNAME: textSetting().optional().meta({ description: 'SASL username' }),
  KAFKA_SASL_PASSWORD: textSetting().optional().meta({ description: 'SASL password' }),
  LIVENESS_STALL_SECONDS: integerSetting({ min: 10, max: 86_400 })
    .default(180)
    .meta({ description: 'Seconds without progress while records are waiting before /livez fails' }),
}

const saslNames = ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const

function checkSasl(settings: Partial<Record<(typeof saslNames)[number], unknown>>, context: z.RefinementCtx): void {
  const missing = saslNames.filter((name) => settings[name] === undefined)
  if (missing.length === saslNames.length) return
  for (const name of missing) {
    context.addIssue({ code: 'custom', path: [name], message: 'Required with the other KAFKA_SASL settings' })
  }
}

const topicNames = [
  'KAFKA_MENTION_TOPIC',
  'KAFKA_CHANGE_TOPIC',
  'KAFKA_RECEIPT_TOPIC',
  'KAFKA_PRIVACY_TOPIC',
  'KAFKA_DEAD_LETTER_TOPIC',
] as const

type TopicSettings = { readonly [Name in (typeof topicNames)[number]]?: string | undefined }

/** A topic carries one kind of record. Dead letters read as events would become dead letters again, forever. */
function checkTopics(settings: TopicSettings, context: z.RefinementCtx): void {
  for (const [index, name] of topicNames.entries()) {
    if (settings[name] === undefined) continue
    const earlier = topicNames.slice(0, index).find((other) => settings[other] === settings[name])
    if (earlier !== undefined) {
      context.addIssue({ code: 'custom', path: [name], message: `Must not be the same topic as ${earlier}` })
    }
  }
}

const capturedChangesSettings = {
  CDC_MAPPINGS: mappingsSetting()
    .optional()
    .meta({ description: 'YAML file that maps topics of Debezium to change entries; off if unset' }),
}

const announcementSettings = {
  KAFKA_NOTIFICATION_TOPIC: topicSetting()
    .optional()
    .meta({ description: 'Topic on which notifications are announced; off if unset' }),
  EVENT_SOURCE: textSetting().default('/herald').meta({ description: 'CloudEvents source of announcements' }),
  ANNOUNCE_MAX_AGE_HOURS: integerSetting({ min: 1, max: 87_600 })
    .default(24)
    .meta({ description: 'Hours after which events stored for the first time are no longer announced' }),
  ANNOUNCE_UNREAD_AFTER_MINUTES: integerSetting({ min: 1, max: 10_080 })
    .optional()
    .meta({ description: 'Minutes after which unread notifications are announced; never if unset' }),
}

type AnnouncementSettings = z.output<z.ZodObject<typeof announcementSettings>>

/** Herald would read what it announces, or a topic would carry two kinds of records. */
function checkNotificationTopic(settings: Topics & AnnouncementSettings, context: z.RefinementCtx): void {
  const { KAFKA_NOTIFICATION_TOPIC: topic, ANNOUNCE_UNREAD_AFTER_MINUTES: minutes } = settings
  const add = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message })
  if (topic === undefined) {
    if (minutes !== undefined) add('ANNOUNCE_UNREAD_AFTER_MINUTES', 'Requires KAFKA_NOTIFICATION_TOPIC')
    return
  }
  const other = topicNames.find((name) => settings[name] === topic)
  if (other !== undefined) add('KAFKA_NOTIFICATION_TOPIC', `Must not be the same topic as ${other}`)
  if (settings.CDC_MAPPINGS?.topics.includes(topic)) add('KAFKA_NOTIFICATION_TOPIC', 'Must not be a mapped topic')
}

type Topics = TopicSettings & z.output<z.ZodObject<typeof capturedChangesSettings>>

function checkMappedTopics(settings: Topics, context: z.RefinementCtx): void {
  for (const topic of settings.CDC_MAPPINGS?.topics ?? []) {
    const name = topicNames.find((other) => settings[other] === topic)
    if (name === undefined) continue
    context.addIssue({ code: 'custom', path: ['CDC_MAPPINGS'], message: `Must not map ${topic}, which is ${name}` })
  }
}

/** The settings of ingest, keyed by environment variable. */
export const settingsSchema = z
  .object({
    ...httpSettings({ port: 3001, adminPort: 9001 }),
    ...observationSettings,
    ...storageSettings,
    ...authenticationSettings,
    ...kafkaSettings,
    ...capturedChangesSettings,
    ...announcementSettings,
    ...retentionSettings,
  })
  .superRefine(checkSasl)
  .superRefine(checkTopics)
  .superRefine(checkMappedTopics)
  .superRefine(checkNotificationTopic)
export type Settings = z.output<typeof settingsSchema>
export type KafkaSettings = z.output<typeof deadLetterSettingsSchema>

/** The settings of `migrate`. Documents expire only if `RETENTION_DAYS` is set. */
export const migrateSettingsSchema = z.object({ ...storageSettings, ...retentionSettings })

/** The settings of the dead-letter command. */
export const deadLetterSettingsSchema = z.object(kafkaSettings).superRefine(checkSasl).superRefine(checkTopics)

/** The settings of the commands that look into topics and MongoDB: those of ingest without its servers. */
export const commandSettingsSchema = z
  .object({
    ...storageSettings,
    ...kafkaSettings,
    ...capturedChangesSettings,
    ...retentionSettings,
    KAFKA_NOTIFICATION_TOPIC: announcementSettings.KAFKA_NOTIFICATION_TOPIC,
  })
  .superRefine(checkSasl)
  .superRefine(checkTopics)
  .superRefine(checkMappedTopics)
export type CommandSettings = z.output<typeof commandSettingsSchema>
