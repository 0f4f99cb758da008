export { type AsyncApiDocument, createAsyncApiDocument } from './asyncapi/document.ts'
export { type DeadLetterReason, deadLetterReasons } from './base/dead-letter-reasons.ts'
export { type ErrorCode, type ErrorEntry, errorCodes, type ValidationIssue } from './base/error-codes.ts'
export { createIssueList, describeIssues } from './base/issue-list.ts'
export { findUnsafeJson, type JsonValue } from './base/json-safety.ts'
export { limits } from './base/limits.ts'
export { formatTimestamp } from './base/timestamp.ts'
export { decodeUtf8, hasRegistryBytes } from './base/utf8.ts'
export {
  bytesToUuid,
  fitsUuidV7,
  isUuid,
  makeUuidV7,
  timeOfUuidV7,
  uuidSchema,
  uuidToBytes,
  writeUuid,
} from './base/uuid.ts'
export {
  type ActorType,
  actorTypes,
  type LocationType,
  locationTypes,
  type NotificationType,
  type SubjectType,
} from './base/values.ts'
export { addZodIssues, toValidationIssues } from './base/zod-issues.ts'
export {
  createMappingJsonSchema,
  isConstant,
  type MappedKey,
  type MappedValue,
  type Mapping,
  mappedKeyOf,
  mappingFileSchema,
  mappingSchema,
  pathOf,
} from './captured-changes/mapping.ts'
export { type AnnouncedEvent, announcedEventSchema, announcedEvents } from './events/announced-events.ts'
export { type CloudEventAttributes, cloudEventAttributesSchema, traceparentOf } from './events/cloud-event.ts'
export { deriveEventId, type EventIdentity } from './events/derive-event-id.ts'
export { deriveSubscriberId } from './events/derive-subscriber-id.ts'
export {
  defaultTopics,
  type EventDataInput,
  type EventDescription,
  type EventName,
  type EventType,
  events,
  exampleEvents,
  type TopicKind,
} from './events/events.ts'
export { type EventRecord, type ReadEvent, readCloudEvent } from './events/read-cloud-event.ts'
export { headerText, type RecordHeaders } from './events/record-headers.ts'
export type { Operation } from './http/operation.ts'
export { operations, scopes } from './http/operations.ts'
export { createOpenApiDocument } from './openapi/document.ts'
export { createOpenApi30Document } from './openapi/document-3-0.ts'
export {
  type ChangeEntry,
  type ChangeEntryFilters,
  changeEntryPageSchema,
  changeEntrySchema,
} from './schemas/change-entry.ts'
export { groupPageSchema } from './schemas/groups.ts'
export {
  type Archived,
  type ListNotificationsQuery,
  notificationPageSchema,
  type ReadStatus,
} from './schemas/list-notifications.ts'
export { markedSchema, seenSchema, unreadCountSchema } from './schemas/marks.ts'
export { toMetadataText } from './schemas/metadata.ts'
export { type MuteKind, muteKinds, mutesSchema } from './schemas/mutes.ts'
export {
  type Actor,
  type CreatedNotification,
  type CreateNotification,
  createdNotificationSchema,
  createNotificationSchema,
  type Notification,
  notificationSchema,
} from './schemas/notification.ts'
