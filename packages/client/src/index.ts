export type {
  ChangeEntries,
  ChangeEntryFilters,
  ChangeEntryPage,
  ChangeEntryQuery,
  ExportFormat,
  FollowChangesOptions,
} from './change-entries.ts'
export { createHeraldClient, type HeraldClient, type HeraldClientOptions } from './client.ts'
export type {
  ChangeEntry,
  CreatedNotification,
  CreateNotification,
  JsonValue,
  Notification,
  NotificationGroup,
  NotificationMetadata,
} from './contract-types.ts'
export {
  type ErrorCode,
  HeraldConnectionError,
  HeraldProblem,
  HeraldSignedOut,
  isHeraldProblem,
  type ProblemDetails,
  type ValidationIssue,
} from './errors.ts'
export type { FollowedChanges } from './follow-pages.ts'
export type { CallOptions } from './http.ts'
export type { Mute, Mutes, MuteTarget } from './mutes.ts'
export type {
  ArchiveSelection,
  GroupQuery,
  Marked,
  MarkMany,
  NewNotification,
  NotificationGroupPage,
  NotificationPage,
  NotificationQuery,
  Notifications,
} from './notifications.ts'
export type { RetryOptions } from './retry.ts'
export type { ChangeEntryProof, CheckpointConsistency, SealedLine } from './sealed-log.ts'
export type { FeedEvent, FollowOptions, LossReason } from './stream.ts'
export type { TokenSource, TokenUser } from './token.ts'
