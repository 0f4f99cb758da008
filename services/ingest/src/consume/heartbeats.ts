/** Shorter than kafkajs's heartbeat interval, so that no heartbeat is late. */
const everyMs = 500

/**
 * Sends heartbeats on a timer until stopped, so that a member with a slow chunk is not considered dead. Errors are ignored
 * here: kafkajs gets the original error from the heartbeat after the chunk. The timer continues after an error, so that a
 * member that is still handling a chunk keeps its place in a group that rebalances.
 *
 * @returns a function that stops the timer
 */
export function startHeartbeats(heartbeat: () => Promise<void>): () => void {
  const timer = setInterval(() => {
    heartbeat().catch(() => {})
  }, everyMs)
  return () => clearInterval(timer)
}
