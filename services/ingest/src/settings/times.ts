/** How long ingest waits for what, in milliseconds. */
export const defaultTimes = {
  /** Between two looks whether `migrate` has run. */
  gateMs: 1_000,
  /** Between two looks at how far the group is. */
  lagMs: 5_000,
  /** Between two comparisons of the offsets of the group with what is noted of them in MongoDB. */
  notesMs: 15_000,
  /** After which a chunk, a request or a step of a worker is given up. */
  limitMs: 60_000,
  /** The growing pauses of a partition whose chunk failed. */
  heldBack: { minPauseMs: 100, maxPauseMs: 5_000 },
  /** The growing pauses between a member of the group that ended and the next one. */
  restart: { minPauseMs: 250, maxPauseMs: 5_000 },
  /** The limit for an answer of the broker to dead letters. */
  deadLettersMs: 5_000,
  /** Between two looks of each worker for something to do. */
  relayMs: 15_000,
  erasuresMs: 2_000,
  retractionsMs: 1_000,
  announcementsMs: 1_000,
  /** Age up to which metrics show the last count of what is due. */
  countedMs: 15_000,
} as const

type Widened<Value> = Value extends number ? number : { readonly [Name in keyof Value]: Widened<Value[Name]> }

/** Tests pass shorter ones. */
export type Times = Widened<typeof defaultTimes>
