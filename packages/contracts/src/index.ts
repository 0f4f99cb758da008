export {
  type NotificationCreated,
  type NotificationRetracted,
  type NotificationUnread,
  notificationCreatedSchema,
  notificationRetractedSchema,
  notificationUnreadSchema,
} from './announced-event-data.ts'
export {
  type AnnouncedEvent,
  type AnnouncedEventName,
  type AnnouncedEventType,
  announcedEventSchema,
  announcedEvents,
} from './announced-events.ts'
export { type AsyncApiDocument, createAsyncApiDocument } from './asyncapi/document.ts'
export {
  isConstant,
  type MappedValue,
  type Mapping,
  mappingFileSchema,
  mappingSchema,
  pathOf,
} from './captured-changes/mapping.ts'
export { createMappingJsonSchema } from './captured-changes/mapping-json-schema.ts'
export { type ChangeEntry, changeEntrySchema } from './change-entry.ts'
export { type CloudEventAttributes, cloudEventAttributesSchema } from './cloud-event.ts'
export { type DeadLetterReason, deadLetterReasons } from './dead-letter-reasons.ts'
export { deriveEventId, type EventIdentity } from './derive-event-id.ts'
export { describeIssues } from './describe-issues.ts'
export { type ErrorCode, type ErrorEntry, errorCodes, type ValidationIssue } from './error-codes.ts'
export {
  type ChangeRecorded,
  type ChangeRecordedInput,
  changeRecordedSchema,
  type MentionCreated,
  type MentionCreatedInput,
  type MentionRetractedInput,
  mentionCreatedSchema,
  mentionRetractedSchema,
  type PersonErasedInput,
  personErasedSchema,
  type ReceiptInput,
  receiptSchema,
} from './event-data.ts'
export {
  type EventDataInput,
  type EventDescription,
  type EventName,
  type EventType,
  eventExamples,
  events,
  type TopicKind,
} from './events.ts'
export { createIssueList, type IssueList } from './issue-list.ts'
export { findUnsafeJson, isNestedDeeper, type JsonValue } from './json-safety.ts'
export { limits } from './limits.ts'
export {
  type ChangeEntryFilters,
  changeEntriesSchema,
  changeEntryPageSchema,
  exportChangeEntriesQuerySchema,
  listChangeEntriesQuerySchema,
} from './list-change-entries.ts'
export {
  type ListNotificationsQuery,
  listNotificationsQuerySchema,
  notificationPageSchema,
  notificationParamsSchema,
  pageLimitSchema,
  type ReadStatus,
  readStatuses,
} from './list-notifications.ts'
export { type MarkRead, markedReadSchema, markReadSchema, unreadCountSchema } from './mark-read.ts'
export { eventMetadataSchema, metadataSchema, type NotificationMetadata } from './metadata.ts'
export {
  type Actor,
  type AnnouncedNotification,
  actorSchema,
  type CreatedNotification,
  type CreateNotification,
  createdNotificationAnswerSchema,
  createdNotificationSchema,
  createNotificationHeadersSchema,
  createNotificationSchema,
  type Notification,
  notificationAnswerSchema,
  notificationSchema,
} from './notification.ts'
export { createOpenApiDocument, type OpenApiDocument } from './openapi/document.ts'
export { createOpenApi30Document, type OpenApi30Document } from './openapi/document-3-0.ts'
export { errorCodesOf, type Operation, type Service } from './operation.ts'
export { operations, scopes } from './operations.ts'
export { type EventRecord, type ReadEvent, readCloudEvent } from './read-cloud-event.ts'
export { headerText, type RecordHeaders } from './record-headers.ts'
export { streamHeadersSchema } from './stream.ts'
export { formatTimestamp, timestampSchema } from './timestamp.ts'
export { announcedTypes, defaultTopics, eventTypes } from './topics.ts'
export { readUsualAttributes, readUsualChange, readUsualMention } from './usual-event.ts'
export { bytesToUuid, isUuid, uuidSchema, uuidToBytes, writeUuid } from './uuid.ts'
export { fitsUuidV7, makeUuidV7, timeOfUuidV7 } from './uuid-v7.ts'
export {
  type ActorType,
  actorTypes,
  type LocationType,
  locationTypes,
  type NotificationType,
  notificationTypes,
  type SubjectType,
  subjectTypes,
} from './values.ts'
export { addZodIssues, toValidationIssues } from './zod-issues.ts'
