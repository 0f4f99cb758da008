/** More often than the interval in which kafkajs lets one through, so that none of its beats is late. */
const everyMs = 500

/**
 * Beats on a timer until stopped: a chunk that takes long is slow, and its member is not dead. A beat that fails is not
 * reported from here, for kafkajs has to hear it unwrapped: it comes again from the heartbeat behind the chunk. Beating goes
 * on after it, so that a member which still handles a chunk keeps its place in a group that rebalances meanwhile.
 *
 * @returns what stops it
 */
export function startHeartbeats(heartbeat: () => Promise<void>): () => void {
  const timer = setInterval(() => {
    heartbeat().catch(() => {})
  }, everyMs)
  return () => clearInterval(timer)
}
