import { type ChangeStream, type Db, MongoServerError, type Timestamp } from 'mongodb'
import { type ChangeEvent, type FeedChange, feedChangePipeline, ownerKeyIn, toFeedChange } from './feed-change.ts'

/**
 * Where in the order of all changes something stands: MongoDB's resume token, in hexadecimal. Tokens are made to be
 * compared byte by byte, so positions compare as strings. They contain keys of documents and are never handed out.
 */
export type Position = string

export type FeedStep =
  | { readonly kind: 'change'; readonly position: Position; readonly owner: string; read(): FeedChange }
  /** Everything up to here was told. The first one comes as soon as the stream is open. */
  | { readonly kind: 'position'; readonly position: Position }
  /** What came after `after` can't be told any more, or not in reasonable time. It is the last step. */
  | { readonly kind: 'lost' }

export type FeedChanges = {
  /**
   * Every recipient's changes after a position, or from now on, in order and majority-committed; ends when `signal` aborts.
   * One cursor of the server for each call. The driver resumes after a passing fault.
   *
   * @throws what the driver did not get over; asking again with the last position is safe
   */
  watch(options: {
    readonly after?: Position | undefined
    readonly signal: AbortSignal
  }): AsyncGenerator<FeedStep, void, void>
}

/** Codes that say that a token can't be resumed from: its place has left the oplog, or was never in it. */
const lostCodes = new Set<unknown>([136, 260, 280, 286])
/** Finding the place took longer than `maxTimeMS`. */
const tookTooLong = 50

/** The aggregation looks through the oplog from the position on; a `getMore` waits on the server for at most a second. */
const limits = { maxTimeMS: 30_000, maxAwaitTimeMS: 1_000, batchSize: 500 } as const

export function createFeedChanges(database: Db): FeedChanges {
  return {
    async *watch({ after, signal }) {
      if (signal.aborted) return
      const start = after === undefined ? await latestOperation(database) : undefined
      if (signal.aborted) return
      const resume = start === undefined ? { resumeAfter: { _data: after } } : { startAtOperationTime: start }
      const stream = database.watch(feedChangePipeline, { ...limits, ...resume }) as unknown as ChangeStream<
        never,
        ChangeEvent
      >
      const close = () => void stream.close().catch(() => {})
      signal.addEventListener('abort', close)
      try {
        for await (const step of stepsOf(stream)) {
          // The latest operation itself was before.
          const isBefore = start !== undefined && step.kind === 'change' && isAt(step.position, start)
          yield isBefore ? { kind: 'position', position: step.position } : step
        }
      } catch (error) {
        if (signal.aborted) return
        if (after === undefined || !isLost(error)) throw error
        yield { kind: 'lost' }
      } finally {
        signal.removeEventListener('abort', close)
        await stream.close().catch(() => {})
      }
    },
  }
}

/**
 * The server itself would begin one tick behind the latest operation. A stream that comes from before would then not be level
 * with this one until something else is written, which in a quiet database takes some ten seconds or twenty.
 */
async function latestOperation(database: Db): Promise<Timestamp> {
  const { operationTime } = await database.command({ ping: 1 })
  return operationTime as Timestamp
}

async function* stepsOf(stream: ChangeStream<never, ChangeEvent>): AsyncGenerator<FeedStep, void, void> {
  const opened = openedAt(stream)
  let pending = stream.tryNext()
  pending.catch(() => {})
  const start = await Promise.race([opened, pending.then(() => undefined)])
  if (start !== undefined) yield { kind: 'position', position: start }
  for (;;) {
    const change = await pending
    if (change)
      yield { kind: 'change', position: change._id._data, owner: ownerKeyIn(change), read: () => toFeedChange(change) }
    // The database itself was dropped: nothing follows.
    else if (stream.closed) return yield { kind: 'lost' }
    const position = positionOf(stream.resumeToken)
    if (position !== undefined && position !== change?._id._data) yield { kind: 'position', position }
    pending = stream.tryNext()
    pending.catch(() => {})
  }
}

/**
 * The position that an empty first batch comes with: else it would be known only after the first wait on the server. When
 * the first batch has a change, the same event tells of the place behind it; by the next turn of the event loop that
 * change itself has been handed out, and wins the race.
 */
function openedAt(stream: ChangeStream<never, ChangeEvent>): Promise<Position | undefined> {
  return new Promise((resolve) => {
    stream.once('resumeTokenChanged', (token) => setImmediate(() => resolve(positionOf(token))))
  })
}

function positionOf(token: unknown): Position | undefined {
  return (token as { _data?: Position } | null | undefined)?._data
}

function isLost(error: unknown): boolean {
  return error instanceof MongoServerError && (lostCodes.has(error.code) || error.code === tookTooLong)
}

/** Whether a position is of an operation: a token has its cluster time behind the type. */
function isAt(position: Position, { high, low }: Timestamp): boolean {
  const hex = (part: number) => (part >>> 0).toString(16).padStart(8, '0')
  return position.toLowerCase().startsWith(`82${hex(high)}${hex(low)}`)
}

/** The time that a position stands at: a token starts with the type and the seconds of its cluster time. */
export function timeOfPosition(position: Position): Date | undefined {
  const match = /^82([0-9A-F]{8})/i.exec(position)
  return match ? new Date(Number.parseInt(match[1] as string, 16) * 1_000) : undefined
}
