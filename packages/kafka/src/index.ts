export { createKafka, toKafkaOptions } from './client/create-kafka.ts'
export type { IncomingRecord, ReadFailure, RecordPart } from './port/incoming-record.ts'
export {
  type GroupMember,
  type GroupPosition,
  type KafkaPort,
  type MemberEvents,
  type OffsetRange,
  type OutgoingRecord,
  type PartitionBatch,
  type PartitionOffset,
  type PartitionShare,
  type RecordProducer,
  RecordTooLarge,
  type TopicDescription,
} from './port/kafka-port.ts'
export { batchBytesOf, headerBytesOf } from './produce/batch-bytes.ts'
export { inGroups } from './produce/in-groups.ts'
export { createTopicProducer, type Sendable } from './produce/topic-producer.ts'
export {
  brokersSetting,
  type ConnectionSettings,
  checkSasl,
  connectionSettings,
  topicSetting,
} from './settings/connection-settings.ts'
export { notificationTopicSetting, topicNames, topicSettings } from './settings/topic-settings.ts'
