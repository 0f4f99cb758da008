import type { GroupMember, KafkaPort } from '@herald/kafka'
import { backoffMs, type Clock, pause, within } from '@herald/runtime'
import type { Times } from '../settings/times.ts'
import { type BatchRunnerDependencies, createBatchRunner } from './batch-runner.ts'
import { chunkShare } from './chunks.ts'
import { type CommitPace, createOffsetCommits, type OffsetCommitsDependencies } from './offset-commits.ts'
import { findMissingTopics } from './topic-problems.ts'

export type EventConsumerDependencies = Omit<BatchRunnerDependencies, 'commits' | 'onGivenUp'> & {
  readonly kafka: Pick<KafkaPort, 'createMember' | 'describeTopics'>
  readonly groupId: string
  readonly topics: readonly string[]
  readonly deadLetterTopic: string
  readonly clock: Clock
  readonly notes?: OffsetCommitsDependencies['notes']
  /** A member may take this long to begin: longer than the group waits for another one that is still handling a chunk. */
  readonly beginMs?: number
  /** The growing pauses between a member that ended and the next one. */
  readonly restart: Times['restart']
  readonly commitPace?: CommitPace | undefined
}

export type EventConsumer = ReturnType<typeof createEventConsumer>

/** The client may hang while it closes, which must not keep the next member from starting. */
const closeMs = 15_000
const lastCommitMs = 3_000

export function createEventConsumer(dependencies: EventConsumerDependencies) {
  const {
    kafka,
    groupId,
    topics,
    deadLetterTopic,
    clock,
    notes,
    beginMs = 120_000,
    restart,
    commitPace,
    ...batches
  } = dependencies
  const { logger, kindOf } = batches
  const stopping = new AbortController()
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()))
  let running: Promise<void> | undefined
  let joinedOnce = false
  let assignment: Readonly<Record<string, readonly number[]>> = {}
  let lastSignOfLife = clock()

  const isAlive = () => {
    lastSignOfLife = clock()
  }

  /** Resolves on {@link stop} and rejects when the member has ended by itself. */
  const watch = (member: GroupMember, onCommitted: () => void): Promise<void> => {
    const crashed = new Promise<never>((_, reject) => {
      member.listen({
        committed: onCommitted,
        fetched: isAlive,
        heartbeat: isAlive,
        joined(assigned) {
          isAlive()
          joinedOnce = true
          assignment = assigned
        },
        recreated({ topic, partition }) {
          logger.error({ topic, partition }, 'The topic was deleted, reading it from its start')
        },
        crashed({ error, isFinal }) {
          isAlive()
          assignment = {}
          if (isFinal) reject(error)
        },
      })
    })
    return Promise.race([crashed, stopped])
  }

  const runOnce = async (onCommitted: () => void): Promise<void> => {
    // Subscribing to a missing topic fails, and without the dead-letter topic the first dead letter blocks its partition.
    const missing = await within(beginMs, findMissingTopics(kafka, [...topics, deadLetterTopic]))
    if (missing.length > 0) throw new Error(missing.join('; '))
    const member = kafka.createMember({ groupId, topics, shareOf: (topic) => chunkShare(kindOf(topic)) })
    const givenUp = Promise.withResolvers<never>()
    const commits = createOffsetCommits({ member, logger, notes, onGivenUp: givenUp.reject, pace: commitPace })
    const runner = createBatchRunner({ ...batches, commits, onGivenUp: givenUp.reject })
    const over = Promise.race([watch(member, onCommitted), givenUp.promise])
    // It is awaited later: an early crash must not be an unhandled rejection.
    over.catch(() => {})
    try {
      await within(beginMs, Promise.race([member.run(runner.run), over]))
      await over
      await within(lastCommitMs, commits.leave()).catch((error: unknown) => {
        logger.warn({ err: error }, 'Could not commit offsets before leaving the group')
      })
    } finally {
      assignment = {}
      runner.stop()
      commits.stop()
      await within(closeMs, member.close()).catch((error: unknown) => {
        logger.warn({ err: error }, 'Could not disconnect consumer')
      })
    }
  }

  const runMembers = async (): Promise<void> => {
    let failures = 0
    // Only a commit resets the pause: a member that joins and crashes repeatedly must pause in between.
    const onCommitted = () => {
      failures = 0
    }
    while (!stopping.signal.aborted) {
      isAlive()
      try {
        await runOnce(onCommitted)
      } catch (error) {
        const milliseconds = Math.round(backoffMs(failures++, restart))
        logger.error({ err: error, milliseconds }, 'Consumer stopped, restarting')
        await pause(milliseconds, stopping.signal)
      }
    }
  }

  return {
    /** Starts consuming until `stop`; a member that crashes is replaced. Returns immediately. */
    start(): void {
      running ??= runMembers()
    },
    /** Finishes and commits the current chunks and leaves the group. */
    async stop(): Promise<void> {
      stopping.abort()
      await running
    },
    hasJoinedOnce: () => joinedOnce,
    isAssigned: (topic: string, partition: number) => assignment[topic]?.includes(partition) === true,
    /** When it last fetched, sent a heartbeat, joined or was replaced; the current time before it is started. */
    lastSignOfLife: () => (running ? lastSignOfLife : clock()),
  }
}
