/** The limits of streams; times in milliseconds. */
export const streamDefaults = {
  heartbeatMs: 15_000,
  /** Bytes buffered in this process for one client, beyond the buffers of the operating system. */
  maxBufferedBytes: 256 * 1024,
  /** Bytes buffered for a client at which its catch-up pauses. */
  maxCatchUpBytes: 64 * 1024,
  /** Time for such a client to consume them. */
  drainMs: 10_000,
  /** Time for a reader to receive the last event before its connection is destroyed. */
  farewellMs: 1_000,
  /** Time after its last change at which a bulk mark without an end is sent. */
  bulkMarkHeldMs: 5_000,
  /** Changes within this time share one count of the unread. */
  countDebounceMs: 200,
  /** Maximum time between changes and their count. */
  countMaxWaitMs: 2_000,
  /** Counts for streams at a time. */
  countsAtOnce: 4,
  /**
   * A place for a count stays empty for so many times as long as the count took. So counts take less of a busy process than
   * notifications, which come first, and the later one is, the more changes it includes.
   */
  countRests: 3,
  /** Clients that reconnect within this time share one catch-up. */
  catchUpWindowMs: 50,
  /** Age of the oldest id that can be resumed, because all users' changes since then have to be scanned. */
  maxResumeMs: 60 * 60 * 1_000,
  /** Age up to which clients catch up apart from those that were away for longer. */
  shortlyAwayMs: 60_000,
  /** Age at which a change is late. It is then compared with the erasures of its subscriber before it is sent. */
  lateMs: 1_500,
  /** A feed that an erasure changes is reset after a random time in this range: those of an actor don't all list at once. */
  minErasedMs: 1_000,
  maxErasedMs: 3_000,
  /** Time after which the key of ids is read again. */
  keyMs: 15_000,
  /** Time for which the shared change stream stays open without clients. */
  lingerMs: 30_000,
  /** Time that a request waits for the shared change stream to open before a 503. */
  openMs: 5_000,
  /** Limits of the growing pauses between attempts to open a change stream. */
  minPauseMs: 100,
  maxPauseMs: 10_000,
  /** Clients reconnect after a random time in this range. */
  minRetryMs: 1_000,
  maxRetryMs: 5_000,
} as const

export type StreamOptions = { readonly [Name in keyof typeof streamDefaults]: number }

/** The longest turn of the event loop in which changes are processed, which arrive in batches. */
export const maxTurnMs = 2
