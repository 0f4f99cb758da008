import { defaultTopics } from '@herald/contracts'
import { topicSetting } from './connection-settings.ts'

/** The topics that ingest reads and writes. */
export const topicSettings = {
  KAFKA_MENTION_TOPIC: topicSetting().default(defaultTopics.mention).meta({ description: 'Topic of mention events' }),
  KAFKA_CHANGE_TOPIC: topicSetting().default(defaultTopics.change).meta({ description: 'Topic of change events' }),
  KAFKA_RECEIPT_TOPIC: topicSetting().default(defaultTopics.receipt).meta({ description: 'Topic of receipt events' }),
  KAFKA_PRIVACY_TOPIC: topicSetting().optional().meta({ description: 'Topic of erasures of persons; off if unset' }),
  KAFKA_DEAD_LETTER_TOPIC: topicSetting()
    .default(defaultTopics.deadLetter)
    .meta({ description: 'Topic for records that cannot be processed' }),
}

export const notificationTopicSetting = {
  KAFKA_NOTIFICATION_TOPIC: topicSetting()
    .optional()
    .meta({ description: 'Topic on which notifications are announced; off if unset' }),
}

export const topicNames = [
  'KAFKA_MENTION_TOPIC',
  'KAFKA_CHANGE_TOPIC',
  'KAFKA_RECEIPT_TOPIC',
  'KAFKA_PRIVACY_TOPIC',
  'KAFKA_DEAD_LETTER_TOPIC',
  'KAFKA_NOTIFICATION_TOPIC',
] as const
