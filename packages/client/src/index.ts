export type {
  ChangeEntries,
  ChangeEntryFilters,
  ChangeEntryPage,
  ExportFormat,
} from './change-entries.ts'
export { createHeraldClient, type HeraldClient, type HeraldClientOptions } from './client.ts'
export type {
  Actor,
  ActorType,
  ChangeEntry,
  CreatedNotification,
  CreateNotification,
  ErrorCode,
  InputFault,
  JsonValue,
  LocationType,
  Notification,
  NotificationMetadata,
  NotificationType,
  ReadStatus,
  SubjectType,
} from './contract-types.ts'
export { HeraldConnectionError, HeraldProblem, isHeraldProblem, type ProblemDetails } from './errors.ts'
export type { CallOptions } from './http.ts'
export type {
  MarkManyRead,
  NewNotification,
  NotificationFilters,
  NotificationPage,
  Notifications,
  PageOptions,
} from './notifications.ts'
export type { RetryOptions } from './retry.ts'
export type { FeedEvent, FollowOptions, LossReason } from './stream.ts'
export type { TokenSource } from './token.ts'
