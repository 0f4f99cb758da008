import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@herald/runtime'
import type { Consumer, Kafka } from 'kafkajs'
import { createBackoff } from './backoff.ts'
import { type BatchRunnerDependencies, createBatchRunner } from './batch-runner.ts'

export type EventConsumerDependencies = BatchRunnerDependencies & {
  readonly kafka: Kafka
  readonly groupId: string
  /** The topics to read. */
  readonly topics: readonly string[]
  /** A further topic that must be there: the dead letters'. */
  readonly deadLetterTopic: string
  readonly logger: Logger
}

export type EventConsumer = {
  /** Begins, and goes on until {@link stop}: a consumer that crashes is built anew. Returns at once. */
  start(): void
  /** Finishes and commits what is in hand, and leaves the group. */
  stop(): Promise<void>
  /** Why events are not read yet, in words; `undefined` once the group was joined, whatever comes later. */
  whyNotReady(): string | undefined
  isConsuming(): boolean
}

/** A missing topic is waited for, like a broker that is away. */
async function findMissingTopics(kafka: Kafka, wanted: readonly string[]): Promise<string[]> {
  const admin = kafka.admin()
  try {
    await admin.connect()
    const found = new Set(await admin.listTopics())
    return wanted.filter((topic) => !found.has(topic))
  } finally {
    await admin.disconnect()
  }
}

export function createEventConsumer(dependencies: EventConsumerDependencies): EventConsumer {
  const { kafka, groupId, topics, deadLetterTopic, logger } = dependencies
  const stopping = new AbortController()
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()))
  let notReady: string | undefined = 'The consumer has not joined its group yet'
  let running: Promise<void> | undefined
  let consuming = false

  /** One consumer's life: resolves when it crashed for good or was told to stop. */
  const runOnce = async (onJoined: () => void): Promise<void> => {
    const missing = await findMissingTopics(kafka, [...topics, deadLetterTopic])
    if (missing.length > 0) {
      if (notReady !== undefined) notReady = `Topics that do not exist: ${missing.join(', ')}`
      throw new Error(`Topics that do not exist: ${missing.join(', ')}`)
    }
    const runner = createBatchRunner(dependencies)
    const consumer = createConsumer(kafka, groupId)
    const crashed = new Promise<never>((_, reject) => {
      consumer.on(consumer.events.GROUP_JOIN, () => {
        notReady = undefined
        consuming = true
        onJoined()
      })
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        consuming = false
        if (!payload.restart) reject(payload.error)
      })
    })
    // Nobody waits for it yet, and an early crash must not count as unhandled.
    crashed.catch(() => {})
    try {
      await consumer.connect()
      // From the beginning: after an offset out of range, "latest" would skip what lies between.
      await consumer.subscribe({ topics: [...topics], fromBeginning: true })
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: 3,
        eachBatch: runner.eachBatch,
      })
      await Promise.race([crashed, stopped])
    } finally {
      consuming = false
      runner.stop()
      await disconnect(consumer)
    }
  }

  const disconnect = async (consumer: Consumer) => {
    try {
      await consumer.disconnect()
    } catch (error) {
      logger.warn({ err: error }, 'The consumer did not leave cleanly')
    }
  }

  const runUntilStopped = async (): Promise<void> => {
    const backoff = createBackoff({ firstMs: 250 })
    while (!stopping.signal.aborted) {
      try {
        await runOnce(backoff.reset)
      } catch (error) {
        const milliseconds = backoff.next()
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
    whyNotReady: () => notReady,
    isConsuming: () => consuming,
  }
}

function createConsumer(kafka: Kafka, groupId: string): Consumer {
  return kafka.consumer({
    groupId,
    allowAutoTopicCreation: false,
    sessionTimeout: 30_000,
    rebalanceTimeout: 60_000,
    heartbeatInterval: 3_000,
    // An idle fetch comes back after this time; it is also how long a stop may have to wait for it.
    maxWaitTimeInMs: 1_000,
    // Topics that appear later, and leaders that moved, are noticed within this time.
    metadataMaxAge: 60_000,
    retry: { retries: 5 },
  })
}
