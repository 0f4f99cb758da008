import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@herald/runtime'
import type { Consumer, Kafka } from 'kafkajs'
import { createBackoff } from './backoff.ts'
import { type BatchRunnerDependencies, createBatchRunner } from './batch-runner.ts'
import { createOffsetCommits } from './offset-commits.ts'
import { findTopicFaults } from './topic-check.ts'

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
  /** Begins, and goes on until {@link stop}: a consumer that crashes is built anew. Returns at once. */
  start(): void
  /** Finishes and commits what is in hand, and leaves the group. */
  stop(): Promise<void>
  hasJoinedOnce(): boolean
  isAssigned(topic: string, partition: number): boolean
  /** When it last fetched, beat, joined or was built anew; now, as long as it was not started. */
  lastSignOfLife(): Date
}

export function createEventConsumer(dependencies: EventConsumerDependencies): EventConsumer {
  const { kafka, groupId, topics, deadLetterTopic, clock, logger } = dependencies
  const stopping = new AbortController()
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()))
  let running: Promise<void> | undefined
  let joinedOnce = false
  let assignment: Readonly<Record<string, number[]>> = {}
  let lastSignOfLife = clock()

  const isAlive = () => {
    lastSignOfLife = clock()
  }

  /** Resolves when the consumer is told to stop, and rejects when it crashed for good. */
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

  /** One consumer's life. */
  const runOnce = async (onCommitted: () => void): Promise<void> => {
    const faults = await findTopicFaults(kafka, topics, deadLetterTopic)
    const missing = faults.filter((fault) => fault.endsWith('does not exist'))
    // To subscribe to a topic that is not there would throw, and to read without dead letters would stop at the first.
    if (missing.length > 0) throw new Error(missing.join('; '))
    const consumer = createConsumer(kafka, groupId)
    const commits = createOffsetCommits(consumer, logger)
    const runner = createBatchRunner({ ...dependencies, commits })
    const over = watch(consumer, onCommitted)
    // Nobody waits for it yet, and an early crash must not count as unhandled.
    over.catch(() => {})
    try {
      await consumer.connect()
      // From the beginning: after an offset out of range, "latest" would skip what lies between.
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
      // kafkajs may hang in it; a consumer that is given up must not keep its successor from starting.
      await Promise.race([consumer.disconnect(), sleep(15_000, undefined, { ref: false })])
    } catch (error) {
      logger.warn({ err: error }, 'The consumer did not leave cleanly')
    }
  }

  const runUntilStopped = async (): Promise<void> => {
    const backoff = createBackoff({ firstMs: 250 })
    while (!stopping.signal.aborted) {
      isAlive()
      try {
        // A join is no progress: who joins and crashes again must not do so without a pause.
        await runOnce(backoff.reset)
      } catch (error) {
        const milliseconds = Math.round(backoff.next())
        logger.error({ err: error, milliseconds }, 'The consumer ended, another one is built')
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
    // A member that was killed is missed for this long, and the group with it. Beats go on while a chunk is handled.
    sessionTimeout: 10_000,
    // The most that the group waits for a member that still handles a chunk when it has to rebalance.
    rebalanceTimeout: 30_000,
    // Also how soon a member hears that another one has left.
    heartbeatInterval: 1_000,
    // An idle fetch comes back after this time; it is also how long a stop or a beat may have to wait for it.
    maxWaitTimeInMs: 500,
    // What is fetched is decoded at once and waits in memory: one chunk of each partition is enough of it.
    maxBytesPerPartition: 512 * 1024,
    maxBytes: 8 * 1024 * 1024,
    // Topics that appear later, and leaders that moved, are noticed within this time.
    metadataMaxAge: 60_000,
    retry: { retries: 5 },
  })
}
