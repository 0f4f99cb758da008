import type { ClientSession, MongoClient } from 'mongodb'

/** The maximum number of idle sessions: each retains the last response. */
const maxIdle = 16

const freeSessions = new WeakMap<MongoClient, ClientSession[]>()

/**
 * Runs `work` with a session that is not used concurrently, and keeps the session for the next call.
 *
 * By default, the driver starts a session for each command and keeps the active ones in a `Set`. A `Set` that changes
 * this often is reallocated all the time, and V8 frees objects referenced by its old tables only in a full collection:
 * the session, its cluster time, and through that the bytes of the whole response. Pages took a third longer.
 */
export async function withReusedSession<T>(
  client: MongoClient,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  const free = freeSessions.get(client) ?? []
  freeSessions.set(client, free)
  const last = free.pop()
  const session = last === undefined || last.hasEnded ? client.startSession({ causalConsistency: false }) : last
  try {
    const result = await work(session)
    if (free.length < maxIdle) free.push(session)
    else await session.endSession()
    return result
  } catch (error) {
    // Ended, because the driver may have marked the session as unusable.
    await session.endSession()
    throw error
  }
}
