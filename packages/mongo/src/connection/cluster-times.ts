import type { MongoClient, Timestamp } from 'mongodb'
import { markAfter, type Position, timeOfPosition } from '../change-streams/watch.ts'

type Reply = {
  readonly isWritablePrimary?: boolean
  readonly lastWrite?: { readonly opTime?: { readonly ts?: Timestamp } }
  readonly $clusterTime?: { readonly clusterTime?: Timestamp }
}

type Heard = { readonly at: number; readonly latest: Position }

/** An hour of heartbeats. */
const keptHeartbeats = 360

export type ClusterTimes = ReturnType<typeof createClusterTimes>

/**
 * How far a position is behind the latest write of the primary, as heard with the heartbeats: positions are compared with positions,
 * and what this process measures is a duration, so that no clock that is set changes it.
 */
export function createClusterTimes(client: Pick<MongoClient, 'on'>) {
  let heard: readonly Heard[] = []
  client.on('serverHeartbeatSucceeded', ({ reply }) => {
    const { isWritablePrimary, lastWrite, $clusterTime } = reply as Reply
    const time = lastWrite?.opTime?.ts ?? $clusterTime?.clusterTime
    if (!isWritablePrimary || time === undefined) return
    // Without the end of a mark, because the position of the write itself is level with it.
    heard = [...heard, { at: performance.now(), latest: markAfter(time).slice(0, -2) }].slice(-keptHeartbeats)
  })
  return {
    /** Milliseconds since the first write after the position, at least; 0 for a position that is level. */
    behindMs(position: Position): number {
      const first = heard.find(({ latest }) => latest > position)
      const last = heard.at(-1)
      if (first === undefined || last === undefined) return 0
      const [end, start] = [timeOfPosition(last.latest), timeOfPosition(position)]
      const apart = end && start ? end.getTime() - start.getTime() : 0
      // The first heartbeat of a process follows writes that it did not hear of.
      return Math.max(performance.now() - first.at, apart)
    },
  }
}
