/** All limits of the contract; sizes in bytes, texts in Unicode characters. */
export const limits = {
  bodyBytes: 256 * 1024,
  /** Limits the bodies of all operations but `POST /`. */
  smallBodyBytes: 8 * 1024,
  bodyLevels: 64,
  recipients: 1_000,
  eventRecipients: 10_000,
  snippetCharacters: 2_000,
  nameCharacters: 200,
  imageCharacters: 2_048,
  metadataBytes: 16 * 1024,
  metadataLevels: 16,
  eventBytes: 1024 * 1024,
  eventLevels: 64,
  eventFutureMs: 5 * 60 * 1_000,
  /** A retraction or an erasure concerns what is not newer, so one that is further ahead waits: it would concern events to come. */
  retractionFutureMs: 5_000,
  /** The clock of a `POST /` is Herald’s, that of a retraction by location its publisher’s. */
  retractionClockMs: 30_000,
  requestsPerMinute: 600,
  connections: 5_000,
  issues: 100,
  /** All of them together, as JSON. */
  issueBytes: 48 * 1024,
  /** The place of an issue, and its detail. */
  issueCharacters: 200,
  idempotencyKeyCharacters: 255,
  idempotencyKeptMs: 24 * 60 * 60 * 1_000,
  idempotencyLeaseMs: 30_000,
  /** After this time, another process finishes a request that was cut off. */
  requestFinishMs: 45_000,
  pageDefault: 20,
  pageMax: 100,
  cursorCharacters: 100,
  /** A page ends early when its documents have so many bytes. */
  pageBytes: 4 * 1024 * 1024,
  markedIds: 100,
  /** Groups are made of so many notifications, the newest. */
  groupedNotifications: 1_000,
  groupsMax: 50,
  /** A request's line and headers have 16 KiB together. */
  groupCursorCharacters: 4_096,
  /** Whom a group names. */
  groupActors: 3,
  /** Limits the mutes of one user. */
  mutes: 500,
  examinedPerStep: 1_000,
  examinedPerRequest: 10_000,
  deadLetterDetailBytes: 1024,
  /** How much larger than the original record a dead letter may be, headers included. */
  deadLetterExtraBytes: 64 * 1024,
  /** Recipients in one announcement; a notification with more is announced in parts. */
  announcedRecipients: 500,
  /** Notifications that one announcement of unread ones lists. */
  announcedIds: 100,
  receiptWaitMs: 10 * 60 * 1_000,
} as const
