import { checkFence, createFence, eachAtOnce, insertWithinMs, type MonotonicClock, ownClock } from '@herald/mongo'
import type { Anchor, PublishedCheckpoint } from './anchor.ts'
import type { Checkpoints, SignedCheckpoint } from './checkpoints.ts'

export type PublisherDependencies = {
  readonly anchor: Pick<Anchor, 'publishedSize' | 'publish'>
  readonly checkpoints: Pick<Checkpoints, 'signedAfter' | 'lastSigned'>
  readonly onFailure: (error: unknown) => void
  readonly clock?: MonotonicClock | undefined
}

const logsPerStep = 200
const logsAtOnce = 16
const checkpointsPerLog = 100
const pauseMs = 2_000

/**
 * Publishes every signed checkpoint of the logs that it is told of, each log's in order, beside the sealing: while Kafka is
 * unavailable, sealing goes on. What is published follows from what is stored and what was published, so nothing is lost with the
 * process.
 */
export function createCheckpointPublisher({ anchor, checkpoints, onFailure, clock = ownClock }: PublisherDependencies) {
  const waiting = new Set<string>()
  let running: Promise<void> | undefined
  let pausedUntil = 0

  async function findUnpublished(subscriberId: string): Promise<SignedCheckpoint[]> {
    const size = anchor.publishedSize(subscriberId)
    // The topic is new, or keeps records for a while only. The newest stands for all before it.
    if (size === undefined) return checkpoints.lastSigned(subscriberId, checkpointsPerLog)
    const signed = await checkpoints.signedAfter(subscriberId, size, checkpointsPerLog)
    if (signed.length === checkpointsPerLog) waiting.add(subscriberId)
    return signed
  }

  async function publishSome(): Promise<void> {
    const subscriberIds: string[] = []
    for (const subscriberId of waiting) {
      if (subscriberIds.push(subscriberId) === logsPerStep) break
    }
    // Whoever is added meanwhile has something new.
    for (const subscriberId of subscriberIds) waiting.delete(subscriberId)
    const fence = createFence(insertWithinMs)
    try {
      const found = await eachAtOnce(subscriberIds, logsAtOnce, async (subscriberId) => {
        const signed = await findUnpublished(subscriberId)
        return signed.map((checkpoint): PublishedCheckpoint => ({ ...checkpoint, subscriberId }))
      })
      await fence(async () => {
        // A process that was frozen publishes nothing of a log that was restored meanwhile.
        checkFence()
        await anchor.publish(found.flat())
      })
    } catch (error) {
      for (const subscriberId of subscriberIds) waiting.add(subscriberId)
      throw error
    }
  }

  async function publishAll(): Promise<void> {
    try {
      while (waiting.size > 0) await publishSome()
    } catch (error) {
      pausedUntil = clock() + pauseMs
      onFailure(error)
    }
  }

  return {
    add: (subscriberId: string): void => void waiting.add(subscriberId),
    remove: (subscriberId: string): void => void waiting.delete(subscriberId),
    clear: (): void => waiting.clear(),
    /** Begins to publish what waits. Never throws. */
    start(): void {
      if (waiting.size === 0 || clock() < pausedUntil) return
      running ??= publishAll().finally(() => {
        running = undefined
      })
    },
    /** Ends with what is being published. */
    async settled(): Promise<void> {
      await running
    },
  }
}
