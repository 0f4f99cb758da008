import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@herald/runtime'
import type { Consumer, Kafka } from 'kafkajs'
import { limitShares } from '../kafka/patched-kafkajs.ts'
import { createBackoff } from './backoff.ts'
import { type BatchRunnerDependencies, createBatchRunner } from './batch-runner.ts'
import { chunkShare } from './chunks.ts'
import { createOffsetCommits } from './offset-commits.ts'
import { findTopicFaults } from './topic-problems.ts'

export type EventConsumerDependencies = Omit<BatchRunnerDependencies, 'commits'> & {
  readonly kafka: Kafka
  readonly groupId: string
  /** The topics to read. */
  readonly topics: readonly string[]
  readonly deadLetterTopic: string
  readonly clock: () => Date
  readonly logger: Logger
}

export type EventConsumer = {
  /** Starts consuming until {@link stop}; a consumer that crashes is replaced. Returns immediately. */
  start(): void
  /** Finishes and commits the current chunks and leaves the group. */
  stop(): Promise<void>
  hasJoinedOnce(): boolean
  isAssigned(topic: string, partition: number): boolean
  /** When it last fetched, sent a heartbeat, joined or was replaced; the current time before it is started. */
  lastSignOfLife(): Date
}

export function createEventConsumer(dependencies: EventConsumerDependencies): EventConsumer {
  const { kafka, groupId, topics, deadLetterTopic, clock, logger, kindOf } = dependencies
  limitShares(topics, (topic) => chunkShare(kindOf(topic)))
  const stopping = new AbortController()
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()))
  let running: Promise<void> | undefined
  let joinedOnce = false
  let assignment: Readonly<Record<string, number[]>> = {}
  let lastSignOfLife = clock()

  const isAlive = () => {
    lastSignOfLife = clock()
  }

  /** Resolves on {@link stop} and rejects when kafkajs does not restart the consumer after a crash. */
  const watch = (consumer: Consumer, onCommitted: () => void): Promise<void> => {
    const { GROUP_JOIN, FETCH, HEARTBEAT, CRASH, COMMIT_OFFSETS } = consumer.events
    consumer.on(COMMIT_OFFSETS, onCommitted)
    consumer.on(FETCH, isAlive)
    consumer.on(HEARTBEAT, isAlive)
    const crashed = new Promise<never>((_, reject) => {
      consumer.on(GROUP_JOIN, ({ payload }) => {
        isAlive()
        joinedOnce = true
        assignment = payload.memberAssignment
      })
      consumer.on(CRASH, ({ payload }) => {
        isAlive()
        assignment = {}
        if (!payload.restart) reject(payload.error)
      })
    })
    return Promise.race([crashed, stopped])
  }

  /** Runs one consumer until it stops or crashes. */
  const runOnce = async (onCommitted: () => void): Promise<void> => {
    const faults = await findTopicFaults(kafka, topics, deadLetterTopic)
    const missing = faults.filter((fault) => fault.endsWith('does not exist'))
    // Subscribing to a missing topic throws, and without the dead-letter topic the first dead letter blocks its partition.
    if (missing.length > 0) throw new Error(missing.join('; '))
    const consumer = createConsumer(kafka, groupId)
    const commits = createOffsetCommits(consumer, logger)
    const runner = createBatchRunner({ ...dependencies, commits })
    const over = watch(consumer, onCommitted)
    // Not awaited yet: an early crash must not be an unhandled rejection.
    over.catch(() => {})
    try {
      await consumer.connect()
      // After an offset out of range, "latest" would skip records.
      await consumer.subscribe({ topics: [...topics], fromBeginning: true })
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: 6,
        eachBatch: runner.eachBatch,
      })
      await over
    } finally {
      assignment = {}
      runner.stop()
      await disconnect(consumer)
    }
  }

  const disconnect = async (consumer: Consumer): Promise<void> => {
    try {
      // kafkajs may hang here, which must not keep the next consumer from starting.
      await Promise.race([consumer.disconnect(), sleep(15_000, undefined, { ref: false })])
    } catch (error) {
      logger.warn({ err: error }, 'Could not disconnect consumer')
    }
  }

  const runUntilStopped = async (): Promise<void> => {
    const backoff = createBackoff({ firstMs: 250 })
    while (!stopping.signal.aborted) {
      isAlive()
      try {
        // Only a commit resets the backoff: a consumer that joins and crashes repeatedly must pause in between.
        await runOnce(backoff.reset)
      } catch (error) {
        const milliseconds = Math.round(backoff.next())
        logger.error({ err: error, milliseconds }, 'Consumer stopped, restarting')
        await Promise.race([sleep(milliseconds, undefined, { ref: false }), stopped])
      }
    }
  }

  return {
    start() {
      running ??= runUntilStopped()
    },
    async stop() {
      stopping.abort()
      await running
    },
    hasJoinedOnce: () => joinedOnce,
    isAssigned: (topic, partition) => assignment[topic]?.includes(partition) === true,
    lastSignOfLife: () => (running ? lastSignOfLife : clock()),
  }
}

function createConsumer(kafka: Kafka, groupId: string): Consumer {
  return kafka.consumer({
    groupId,
    allowAutoTopicCreation: false,
    // How long the partitions of a killed member wait. Heartbeats continue while a chunk is handled.
    sessionTimeout: 10_000,
    // How long a rebalance waits at most for a member that is still handling a chunk.
    rebalanceTimeout: 30_000,
    // Also the time until a member learns that another one has left.
    heartbeatInterval: 1_000,
    // How long an idle fetch takes, and how long a stop or heartbeat may have to wait for it.
    maxWaitTimeInMs: 500,
    // Fetched records are decoded at once and wait in memory, so fetch about one chunk per partition.
    maxBytesPerPartition: 512 * 1024,
    maxBytes: 8 * 1024 * 1024,
    // The time until new partitions and moved leaders are discovered.
    metadataMaxAge: 60_000,
    retry: { retries: 5 },
  })
}
