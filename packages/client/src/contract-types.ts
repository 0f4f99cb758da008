/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

export type NotificationType = 'mention'
export type ActorType = 'user' | 'ai user'
export type LocationType = 'comment' | 'value' | 'file comment' | 'file' | 'entity'
export type SubjectType = ActorType | LocationType
export type ReadStatus = 'all' | 'unread' | 'read'

export type NotificationMetadata = {
  mention: { mentionerName: string; snippet: string; entityType?: string; anchorId?: string }
  add: { [key: string]: JsonValue }
  edit: { [key: string]: JsonValue }
}

export type Actor = { id: string; name: string; image: string }

/** A notification as its recipient sees it. Times are `YYYY-MM-DDTHH:MM:SSZ`. */
export type Notification = {
  id: string
  subscriberId: string
  type: NotificationType
  actorId: string
  actorType: ActorType
  subjectId: string
  subjectType: SubjectType
  locationId: string
  locationType: LocationType
  metadata: NotificationMetadata
  createdAt: string
  updatedAt: string
  actor: Actor
  readAt: string | null
  emailSentAt: string | null
}

export type CreatedNotification = Omit<Notification, 'readAt' | 'emailSentAt'> & {
  recipients: { recipientId: string; readAt: string | null; emailSentAt: string | null }[]
}

export type CreateNotification = {
  type: NotificationType
  actorType: ActorType
  subjectId: string
  subjectType: SubjectType
  locationId: string
  locationType: LocationType
  metadata: {
    mention: NotificationMetadata['mention']
    add?: { [key: string]: JsonValue }
    edit?: { [key: string]: JsonValue }
  }
  recipientIds: string[]
}

/** A line of the change log. */
export type ChangeEntry = {
  id: string
  user: { id: string; name: string; email: string }
  entityType: string
  entityId: string
  entityTitle: string
  actionType: string
  changedField: string
  createdAt: string
  beforeState: JsonValue
  afterState: JsonValue
}

export type InputFault = { pointer: string; detail: string }

export type ErrorCode =
  | 'invalid_json'
  | 'validation_failed'
  | 'invalid_request'
  | 'unauthorized'
  | 'missing_scope'
  | 'actor_type_mismatch'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'request_in_progress'
  | 'body_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal'
  | 'storage_unavailable'
  | 'authentication_unavailable'
