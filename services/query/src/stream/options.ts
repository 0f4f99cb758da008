/** The bounds of streams; times in milliseconds. */
export const streamDefaults = {
  heartbeatMs: 15_000,
  /** What may wait in this process for one client, beyond the buffers of the operating system. */
  maxBufferedBytes: 256 * 1024,
  /** How much may wait for a client that catches up before its catching up pauses. */
  maxCatchUpBytes: 64 * 1024,
  /** How long a client that catches up may take for that much. */
  drainMs: 10_000,
  /** How long one that is cut off has to read why. */
  farewellMs: 1_000,
  /** After so long without a further change, a bulk mark whose end does not come is told as far as it went. */
  bulkMarkHeldMs: 5_000,
  /** Changes that come close together cost one count of the unread … */
  countDebounceMs: 200,
  /** … and when they don't end, one count in this time. */
  countMaxWaitMs: 2_000,
  /** Counts that run at the same time, all users together. */
  countsAtOnce: 8,
  /** Clients that come back within this time share a reading of what they missed. */
  catchUpWindowMs: 50,
  /** An id that is older is not resumed from: what would have to be read through is everybody's changes since. */
  maxResumeMs: 60 * 60 * 1_000,
  /** How long the shared change stream stays open for nobody. */
  lingerMs: 30_000,
  /** How long a request waits for the shared change stream to open before it is 503. */
  openMs: 5_000,
  /** The pauses between attempts to open a change stream grow between these. */
  minPauseMs: 100,
  maxPauseMs: 10_000,
  /** Clients are told to come back after some time between these, not all at once. */
  minRetryMs: 1_000,
  maxRetryMs: 5_000,
} as const

export type StreamOptions = { readonly [Name in keyof typeof streamDefaults]: number }
