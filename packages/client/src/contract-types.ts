// Made from the schemas that Herald validates with: npm run generate -w packages/client
/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

export type Problem = {
  /**
   * `urn:herald:problem:<code>`
   */
  type: string
  title: string
  status: number
  detail: string
  /**
   * The id of the request
   */
  instance: string
  /**
   * Stable, machine-readable code
   */
  code:
    | 'invalid_json'
    | 'validation_failed'
    | 'invalid_request'
    | 'invalid_size'
    | 'unauthorized'
    | 'missing_scope'
    | 'actor_type_mismatch'
    | 'not_found'
    | 'sealing_off'
    | 'no_such_checkpoint'
    | 'leaf_unavailable'
    | 'method_not_allowed'
    | 'request_timeout'
    | 'request_in_progress'
    | 'request_erased'
    | 'too_many_mutes'
    | 'not_sealed_yet'
    | 'cursor_expired'
    | 'body_too_large'
    | 'uri_too_long'
    | 'unsupported_media_type'
    | 'idempotency_key_reused'
    | 'rate_limited'
    | 'headers_too_large'
    | 'internal'
    | 'storage_unavailable'
    | 'overloaded'
    | 'order_not_ready'
    | 'authentication_unavailable'
  /**
   * The validation errors of the request
   */
  errors?: {
    /**
     * JSON Pointer (RFC 6901) without `#`; empty for the whole document
     */
    pointer: string
    detail: string
  }[]
}
export type CreateNotification = {
  type: 'mention'
  actorType: 'user' | 'ai user'
  subjectId: string
  subjectType: 'user' | 'ai user' | 'comment' | 'value' | 'file comment' | 'file' | 'entity'
  locationId: string
  locationType: 'comment' | 'value' | 'file comment' | 'file' | 'entity'
  /**
   * At most 16384 bytes of JSON and 16 levels; no key is `__proto__`
   */
  metadata: {
    /**
     * With `entityType`, `anchorId` or both
     */
    mention: {
      mentionerName: string
      snippet: string
      entityType?: string | undefined
      anchorId?: string | undefined
    }
    /**
     * Free-form object, returned unchanged
     */
    add?: { [key: string]: JsonValue } | undefined
    /**
     * Free-form object, returned unchanged
     */
    edit?: { [key: string]: JsonValue } | undefined
  }
  recipientIds: string[]
}
/**
 * Either `ids` or `all`; the others only with `all`
 */
export type MarkRead = {
  ids?: string[]
  all?: true | undefined
  upTo?: string | undefined
  locationType?: 'comment' | 'value' | 'file comment' | 'file' | 'entity'
  locationId?: string | undefined
}
/**
 * Either `ids` or `all`; the others only with `all`
 */
export type ArchiveMany = {
  ids?: string[]
  all?: true | undefined
  upTo?: string | undefined
  locationType?: 'comment' | 'value' | 'file comment' | 'file' | 'entity'
  locationId?: string | undefined
  status?: 'read'
}
export type MarkSeen = {
  upTo?: string | undefined
}
export type SetMute = {
  until?: string | null
}
export type CreatedNotification = {
  id: string
  subscriberId: string
  type: 'mention'
  actorId: string
  actorType: 'user' | 'ai user'
  subjectId: string
  subjectType: 'user' | 'ai user' | 'comment' | 'value' | 'file comment' | 'file' | 'entity'
  locationId: string
  locationType: 'comment' | 'value' | 'file comment' | 'file' | 'entity'
  metadata: NotificationMetadata
  createdAt: string
  updatedAt: string
  actor: {
    id: string
    name: string
    image: string
  }
  recipients: {
    recipientId: string
    readAt: string | null
    emailSentAt: string | null
  }[]
}
/**
 * At most 16384 bytes of JSON and 16 levels; no key is `__proto__`
 */
export type NotificationMetadata = {
  /**
   * With `entityType`, `anchorId` or both
   */
  mention: {
    mentionerName: string
    snippet: string
    entityType?: string | undefined
    anchorId?: string | undefined
  }
  /**
   * Free-form object, returned unchanged
   */
  add: { [key: string]: JsonValue }
  /**
   * Free-form object, returned unchanged
   */
  edit: { [key: string]: JsonValue }
}
export type CreatedNotificationResponse = {
  data: CreatedNotification
}
export type Notification = {
  id: string
  subscriberId: string
  type: 'mention'
  actorId: string
  actorType: 'user' | 'ai user'
  subjectId: string
  subjectType: 'user' | 'ai user' | 'comment' | 'value' | 'file comment' | 'file' | 'entity'
  locationId: string
  locationType: 'comment' | 'value' | 'file comment' | 'file' | 'entity'
  metadata: NotificationMetadata
  createdAt: string
  updatedAt: string
  actor: {
    id: string
    name: string
    image: string
  }
  readAt: string | null
  emailSentAt: string | null
  /**
   * Only of archived notifications
   */
  archivedAt?: string | undefined
  /**
   * Only of notifications that were muted when they were stored
   */
  mutedAt?: string | undefined
}
export type NotificationResponse = {
  data: Notification
}
export type NotificationPage = {
  data: {
    notifications: Notification[]
    nextCursor: string | null
  }
}
export type NotificationGroup = {
  locationType: 'comment' | 'value' | 'file comment' | 'file' | 'entity'
  locationId: string
  latest: Notification
  count: number
  unreadCount: number
  /**
   * Actors of the newest notifications, each once
   */
  actors: {
    id: string
    name: string
    image: string
  }[]
  /**
   * How many more there are
   */
  otherActors: number
}
export type NotificationGroupPage = {
  data: {
    groups: NotificationGroup[]
    nextCursor: string | null
    /**
     * Whether more than the newest 1000 notifications match
     */
    truncated: boolean
  }
}
export type MarkedRead = {
  data: {
    updated: number
    unreadCount: number
    unseenCount: number
  }
}
export type Seen = {
  data: {
    unseenCount: number
    /**
     * The newest notification that was seen; `null` before the first call that marks any as seen
     */
    seenUpTo: string | null
  }
}
export type UnreadCount = {
  data: {
    unreadCount: number
    unseenCount: number
    /**
     * The newest notification that was seen; `null` before the first call that marks any as seen
     */
    seenUpTo: string | null
  }
}
export type MuteResponse = {
  data: {
    kind: 'location' | 'actor'
    id: string
    until: string | null
  }
}
export type Mutes = {
  data: {
    mutes: {
      kind: 'location' | 'actor'
      id: string
      until: string | null
    }[]
  }
}
export type ChangeEntry = {
  id: string
  user: {
    id: string
    name: string
    email: string
  }
  entityType: string
  entityId: string
  entityTitle: string
  actionType: string
  changedField: string
  createdAt: string
  /**
   * Any JSON value, including `null`
   */
  beforeState: JsonValue
  /**
   * Any JSON value, including `null`
   */
  afterState: JsonValue
}
export type ChangeEntries = {
  data: ChangeEntry[]
}
export type ChangeEntryPage = {
  data: {
    changeEntries: ChangeEntry[]
    nextCursor: string | null
    /**
     * Only in the recorded order: how far it may be behind what is stored
     */
    lagSeconds?: number
    /**
     * Only in the recorded order: `false` exactly when nothing more was recorded when it was read
     */
    hasMore?: boolean
  }
}
export type Checkpoint = {
  data: {
    /**
     * A signed checkpoint (C2SP tlog-checkpoint)
     */
    checkpoint: string
  }
}
export type CheckpointKeys = {
  data: {
    /**
     * Verifier keys (C2SP signed-note) of all that ever signed, the present one first
     */
    keys: string[]
  }
}
export type CheckpointConsistency = {
  data: {
    from: number
    to: number
    /**
     * The proof (RFC 9162, section 2.1.4)
     *
     * Items: Base64 of 32 bytes
     */
    hashes: string[]
    /**
     * The signed checkpoint of size `to`
     */
    checkpoint: string
  }
}
export type ChangeEntryProof = {
  data: {
    leafIndex: number
    /**
     * The size in `checkpoint`
     */
    treeSize: number
    /**
     * Base64 of 32 bytes
     */
    salt: string
    /**
     * Base64 of 32 bytes; `null` once the user was erased
     */
    userSalt: string | null
    /**
     * Base64 of 32 bytes
     */
    userHash: string
    /**
     * Base64 of 32 bytes
     */
    leafHash: string
    /**
     * The proof (RFC 9162, section 2.1.3)
     *
     * Items: Base64 of 32 bytes
     */
    hashes: string[]
    /**
     * A signed checkpoint (C2SP tlog-checkpoint)
     */
    checkpoint: string
  }
}
export type ListNotificationsQuery = {
  limit?: number | undefined | undefined
  cursor?: string | undefined | undefined
  status?: 'all' | 'unread' | 'read' | undefined | undefined
  type?: 'mention' | undefined | undefined
  locationType?: 'comment' | 'value' | 'file comment' | 'file' | 'entity' | undefined | undefined
  locationId?: string | undefined | undefined
  subjectId?: string | undefined | undefined
  createdFrom?: Date | string | undefined | undefined
  createdTo?: Date | string | undefined | undefined
  archived?: 'false' | 'true' | 'any' | undefined | undefined
  actorId?: string | undefined | undefined
}
export type ListNotificationGroupsQuery = {
  limit?: number | undefined | undefined
  cursor?: string | undefined | undefined
  status?: 'all' | 'unread' | 'read' | undefined | undefined
}
export type ListChangeEntriesQuery = {
  order?: 'created' | 'recorded' | undefined | undefined
  limit?: number | undefined | undefined
  cursor?: string | undefined | undefined
  entityType?: string | undefined | undefined
  entityId?: string | undefined | undefined
  userId?: string | undefined | undefined
  actionType?: string | undefined | undefined
  changedField?: string | undefined | undefined
  createdFrom?: Date | string | undefined | undefined
  createdTo?: Date | string | undefined | undefined
}
export type ExportChangeEntriesQuery = {
  entityType?: string | undefined | undefined
  entityId?: string | undefined | undefined
  userId?: string | undefined | undefined
  actionType?: string | undefined | undefined
  changedField?: string | undefined | undefined
  createdFrom?: Date | string | undefined | undefined
  createdTo?: Date | string | undefined | undefined
}
export type GetCheckpointConsistencyQuery = {
  from: number
  to?: number | undefined | undefined
}
export type ExportSealedLogQuery = {
  from?: number | undefined | undefined
  to?: number | undefined | undefined
}
