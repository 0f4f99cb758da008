import type { ClientSession, MongoClient } from 'mongodb'

/** So many lie idle at most after a rush, for each holds on to the last answer. */
const mostIdle = 16

const freeSessions = new WeakMap<MongoClient, ClientSession[]>()

/**
 * Does `work` with a session that nobody else uses meanwhile, and keeps it for the next one.
 *
 * The driver would start a session for each command, and it remembers those that are in use in a `Set`. One that changes so
 * often is laid out anew all the time, and what its discarded tables mention V8 frees only at its next full collection: the
 * session, the time of the cluster in it, and by that the bytes of the whole answer. Pages were then a third slower.
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
    if (free.length < mostIdle) free.push(session)
    else await session.endSession()
    return result
  } catch (error) {
    // The driver may have marked it as one that must not be used again, and sees to it when it ends.
    await session.endSession()
    throw error
  }
}
