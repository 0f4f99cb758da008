import { type ChangeStream, type Db, type Document, MongoServerError, Timestamp } from 'mongodb'

/**
 * A position in the order of all changes: MongoDB's resume token, in hexadecimal. Tokens are designed to be compared
 * byte by byte, so positions compare as strings. They contain keys of documents and are only sent encrypted.
 */
export type Position = string

/** An event as the pipeline of its stream passes it on. */
export type WithPosition = { readonly _id: { readonly _data: Position } }

export type WatchStep<Event> =
  | { readonly kind: 'change'; readonly position: Position; readonly event: Event }
  /** Every change up to this position has been yielded. The first one is yielded as soon as the stream is open. */
  | { readonly kind: 'position'; readonly position: Position }
  /** The changes after `after` are no longer available, or not in reasonable time. This is the last step. */
  | { readonly kind: 'lost' }

export type WatchOptions = {
  readonly pipeline: readonly Document[]
  readonly fieldsAsRaw?: Readonly<Record<string, boolean>>
  readonly after?: Position | undefined
  readonly signal: AbortSignal
  /** How long the server waits for a change before it returns the position that it has reached. */
  readonly maxAwaitTimeMS?: number | undefined
}

/** Error codes of a token whose position has left the oplog, was never in it, or took too long to find (50). */
const lostCodes = new Set<unknown>([50, 136, 260, 280, 286])

/** The aggregation scans the oplog from the position; a `getMore` waits on the server for at most a second. */
const limits = { maxTimeMS: 30_000, maxAwaitTimeMS: 1_000, batchSize: 500 } as const

/**
 * Yields changes after a position, or from now on, in order and majority-committed; ends when `signal` aborts. Each call opens
 * one cursor on the server. The driver resumes after a transient error.
 *
 * @throws errors that the driver did not recover from; retrying with the last position is safe
 */
export async function* watch<Event extends WithPosition>(
  database: Db,
  { pipeline, fieldsAsRaw, after, signal, maxAwaitTimeMS = limits.maxAwaitTimeMS }: WatchOptions,
): AsyncGenerator<WatchStep<Event>, void, void> {
  if (signal.aborted) return
  const start = after === undefined ? await latestOperation(database) : undefined
  if (signal.aborted) return
  const resume = start === undefined ? { resumeAfter: { _data: after } } : { startAtOperationTime: start }
  const options = { ...limits, maxAwaitTimeMS, ...resume, ...(fieldsAsRaw ? { fieldsAsRaw } : {}) }
  const stream = database.watch([...pipeline], options) as unknown as ChangeStream<never, Event>
  const close = () => void stream.close().catch(() => {})
  signal.addEventListener('abort', close)
  try {
    for await (const step of stepsOf(stream)) {
      // The latest operation precedes this stream.
      const isBefore = start !== undefined && step.kind === 'change' && timeOf(step.position)?.eq(start) === true
      yield isBefore ? { kind: 'position', position: step.position } : step
    }
  } catch (error) {
    if (signal.aborted) return
    if (after === undefined || !(error instanceof MongoServerError && lostCodes.has(error.code))) throw error
    yield { kind: 'lost' }
  } finally {
    signal.removeEventListener('abort', close)
    await stream.close().catch(() => {})
  }
}

/** By default, the server starts one tick later: streams that have read everything would be behind until the next write. */
async function latestOperation(database: Db): Promise<Timestamp> {
  const { operationTime } = await database.command({ ping: 1 })
  return operationTime as Timestamp
}

async function* stepsOf<Event extends WithPosition>(
  stream: ChangeStream<never, Event>,
): AsyncGenerator<WatchStep<Event>, void, void> {
  const opened = openedAt(stream)
  let pending = stream.tryNext()
  pending.catch(() => {})
  const start = await Promise.race([opened, pending.then(() => undefined)])
  if (start !== undefined) yield { kind: 'position', position: start }
  for (;;) {
    const event = await pending
    if (event) yield { kind: 'change', position: event._id._data, event }
    // The database was dropped: nothing follows.
    else if (stream.closed) return yield { kind: 'lost' }
    const position = positionOf(stream.resumeToken)
    if (position !== undefined && position !== event?._id._data) yield { kind: 'position', position }
    pending = stream.tryNext()
    pending.catch(() => {})
  }
}

/**
 * The position of an empty first batch; without it, the position would only be known after the first wait on the
 * server. If the first batch has a change, the same event reports the position after it; by the next turn of the event
 * loop that change has been yielded, and wins the race.
 */
function openedAt<Event extends WithPosition>(stream: ChangeStream<never, Event>): Promise<Position | undefined> {
  return new Promise((resolve) => {
    stream.once('resumeTokenChanged', (token) => setImmediate(() => resolve(positionOf(token))))
  })
}

function positionOf(token: unknown): Position | undefined {
  return (token as { _data?: Position } | null | undefined)?._data
}

/** The cluster time of a position: a token begins with its type and the time, in seconds and an ordinal number. */
export function timeOf(position: Position): Timestamp | undefined {
  const match = /^82([0-9A-F]{8})([0-9A-F]{8})/i.exec(position)
  const part = (at: number) => Number.parseInt(match?.[at] as string, 16)
  return match ? new Timestamp({ t: part(1), i: part(2) }) : undefined
}

/** A mark that follows all positions up to this cluster time, and precedes later ones. */
export function markAfter(time: Timestamp): Position {
  const part = (value: number) => value.toString(16).toUpperCase().padStart(8, '0')
  return `82${part(time.getHighBitsUnsigned())}${part(time.getLowBitsUnsigned())}FF`
}

/** The time of a position, in seconds. */
export function timeOfPosition(position: Position): Date | undefined {
  const time = timeOf(position)
  return time && new Date(time.getHighBitsUnsigned() * 1_000)
}
