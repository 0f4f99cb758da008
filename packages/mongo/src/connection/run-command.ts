import {
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  type MongoClient,
  MongoRuntimeError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
  WriteConcern,
} from 'mongodb'

/** The maximum number of idle sessions: each retains the last response. */
const maxIdle = 16
const maxTimeExpired = 50

type CommandOptions = { readonly raw?: true; readonly ignoreUndefined?: true }

const freeSessions = new WeakMap<MongoClient, ClientSession[]>()

/**
 * Sends a command, and repeats it once if it failed where the driver would retry a read or a write of its own. So a command that
 * was applied must change nothing when it is repeated.
 */
export async function runCommand(database: Db, command: Document, options?: CommandOptions): Promise<Document> {
  try {
    return await runOnce(database, command, options)
  } catch (error) {
    if (isFinal(error)) throw error
    return runOnce(database, command, options)
  }
}

/** Runs a command that writes, confirmed as the collection's own writes are. */
export function runWrite<T extends object>(collection: Collection<T>, command: Document, options: CommandOptions) {
  if (collection.writeConcern) WriteConcern.apply(command, collection.writeConcern)
  return runCommand(collection.db, command, options)
}

/**
 * With a session that is not used concurrently. By default, the driver starts one for each command and keeps the active ones in
 * a `Set`, whose old tables V8 frees only in a full collection, and with them whole responses: pages took a third longer.
 */
async function runOnce(database: Db, command: Document, options?: CommandOptions): Promise<Document> {
  const { client } = database
  const free = freeSessions.get(client) ?? []
  freeSessions.set(client, free)
  const last = free.pop()
  const session = last === undefined || last.hasEnded ? client.startSession({ causalConsistency: false }) : last
  try {
    const result = await database.command(command, { ...options, session })
    if (free.length < maxIdle) free.push(session)
    else await session.endSession()
    return result
  } catch (error) {
    // Ended, because the driver may have marked the session as unusable.
    await session.endSession()
    throw error
  }
}

/** No server was available, the server gave up, a write that was made is not confirmed, or its fence is over. */
function isFinal(error: unknown): boolean {
  const kinds = [MongoServerSelectionError, MongoWriteConcernError, MongoRuntimeError]
  if (kinds.some((kind) => error instanceof kind)) return true
  return error instanceof MongoServerError && error.code === maxTimeExpired
}
