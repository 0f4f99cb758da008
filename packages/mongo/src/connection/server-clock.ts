import type { MongoClient } from 'mongodb'

/** Heartbeats arrive every 10 seconds; after a longer pause, one may have waited for this process to wake up. */
const heartbeatWithinMs = 15_000
const keptOffsets = 3

/**
 * The time by the clock of MongoDB's primary, as measured with the heartbeats, so that all processes have the same time; a
 * step of the local clock does not change it. Until the first heartbeat it is the time of this process.
 */
export function createServerClock(client: MongoClient): () => Date {
  let offsets: readonly number[] = []
  let heardAt: number | undefined
  client.on('serverHeartbeatSucceeded', ({ reply }) => {
    const { isWritablePrimary, localTime } = reply
    if (!isWritablePrimary || !(localTime instanceof Date)) return
    const isLate = heardAt !== undefined && performance.now() - heardAt > heartbeatWithinMs
    heardAt = performance.now()
    if (!isLate) offsets = [...offsets, localTime.getTime() - performance.now()].slice(-keptOffsets)
  })
  // A busy process reads a heartbeat late, so the greatest offset is the most exact one.
  return () => new Date(offsets.length === 0 ? Date.now() : performance.now() + Math.max(...offsets))
}
