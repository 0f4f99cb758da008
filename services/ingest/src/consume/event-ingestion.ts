import type { IncomingRecord, KafkaPort } from '@herald/kafka'
import type { Clock, Deadlines, HealthCheck, Logger, Releasers, Tracing } from '@herald/runtime'
import { isStorageUnavailable, type Store } from '@herald/store'
import type { Registry } from 'prom-client'
import { showReplacedNulls } from '../captured-changes/replaced-nulls.ts'
import { createOverdueReceipts } from '../events/overdue-receipts.ts'
import { createRecordHandler } from '../events/record-handler.ts'
import { type HandledRecord, isDeadLetter } from '../events/record-outcome.ts'
import type { AnnounceCreated } from '../produce/announcement-publisher.ts'
import { createDeadLetterPublisher, DeadLettersUnavailable } from '../produce/dead-letter-publisher.ts'
import { createOffsetNotes } from '../restores/offset-notes.ts'
import { createRestoreCheck } from '../restores/restore-check.ts'
import { type IngestSettings, type RecordKind, topicsReadBy } from '../settings/config.ts'
import type { Times } from '../settings/times.ts'
import { createEventConsumer, type EventConsumer } from './event-consumer.ts'
import { createEventMetrics, type EventMetrics } from './event-metrics.ts'
import { createGatheredHandler } from './gathered-handler.ts'
import { createLagMonitor } from './lag-monitor.ts'
import { checkConsumerLiveness } from './liveness.ts'
import type { StorageGate } from './storage-gate.ts'
import { findTopicProblems } from './topic-problems.ts'

export type EventIngestionDependencies = {
  readonly kafka: KafkaPort
  readonly settings: IngestSettings
  readonly store: Pick<
    Store,
    'notifications' | 'retractions' | 'erasures' | 'changeEntries' | 'receipts' | 'groupNotes'
  >
  readonly gate: StorageGate
  readonly registry: Registry
  readonly onDroppedReceipts?: ((count: number) => void) | undefined
  readonly logger: Logger
  readonly releasers: Releasers
  readonly clock: Clock
  /** The time by MongoDB's clock, for what is compared with events and with what is stored. */
  readonly now: Clock
  readonly tracing?: Tracing | undefined
  readonly deadlines: Deadlines
  readonly times: Times
  readonly announceCreated?: AnnounceCreated | undefined
}

const dayMs = 24 * 60 * 60 * 1_000

export type EventIngestion = ReturnType<typeof createEventIngestion>

export function createEventIngestion(dependencies: EventIngestionDependencies) {
  const { kafka, settings, store, gate, registry, logger, releasers, clock, now, deadlines, times } = dependencies
  const capturedChanges = settings.CDC_MAPPINGS
  const kinds = topicsReadBy(settings)
  const topics = [...kinds.keys()]
  const metrics = createEventMetrics(registry, clock, kinds)
  if (capturedChanges) showReplacedNulls(registry, capturedChanges)
  const group = settings.KAFKA_GROUP_ID
  const shared = { kafka, groupId: group, topics }
  const deadLetterTopic = settings.KAFKA_DEAD_LETTER_TOPIC
  const announced = [settings.KAFKA_NOTIFICATION_TOPIC].filter((topic) => topic !== undefined)
  const publisher = createDeadLetterPublisher(kafka, deadLetterTopic, times.deadLettersMs)
  releasers.add('dead-letter producer', () => publisher.close())
  const deadLetters = capturedChanges?.redacting(publisher) ?? publisher

  const { notifications, retractions, erasures, changeEntries, receipts } = store
  const handle = createRecordHandler({
    notifications,
    retractions,
    erasures,
    changeEntries,
    receipts,
    deadLetters,
    capturedChanges,
    group,
    tracing: dependencies.tracing,
    announceCreated: dependencies.announceCreated,
    onDroppedReceipts: dependencies.onDroppedReceipts,
    times: () => ({ now: now(), ownNow: clock(), keepFrom: keepFrom(now(), settings.RETENTION_DAYS) }),
    observe: createObserver(metrics, logger),
  })
  const heldBack = new Map<string, Date>()
  const { notes, restoreCheck } = createNotes({ ...dependencies, topics })
  const consumer = createEventConsumer({
    ...shared,
    deadLetterTopic,
    clock,
    notes,
    logger,
    deadlines,
    limitMs: times.limitMs,
    heldBack: times.heldBack,
    restart: times.restart,
    kindOf: (topic) => kinds.get(topic) as RecordKind,
    handle: createGatheredHandler(handle, wouldFailAgain),
    onChunk: metrics.observeChunk,
    onHeldBack(topic, partition) {
      heldBack.set(`${topic}/${partition}`, clock())
      metrics.observeRetry(topic)
    },
  })
  const overdueReceipts = createOverdueReceipts({
    receipts,
    deadLetters,
    group,
    clock: now,
    logger,
    deadlines,
    mentionsCaughtUpTo: () => monitor.caughtUpTo(settings.KAFKA_MENTION_TOPIC),
    observe: metrics.observeDeadLetters,
  })
  const monitor = createLagMonitor({
    ...shared,
    clock,
    now,
    logger,
    intervalMs: times.lagMs,
    onPoll(positions) {
      void overdueReceipts.process()
      if (positions) void restoreCheck.check(positions)
    },
  })
  metrics.showPartitions(monitor)

  const startNow = (): void => {
    monitor.start()
    releasers.add('overdue receipts', () => overdueReceipts.stop())
    releasers.add('lag monitor', () => monitor.stop())
    // Released first: the current chunks are finished and committed while their dependencies are still available.
    releasers.add('consumer', () => consumer.stop(), { limitMs: 10_000 })
    consumer.start()
  }

  return {
    /** Consumes as soon as collections and indexes exist. Returns immediately. */
    start(): void {
      const starting = new AbortController()
      releasers.add('start of the consumer', async () => starting.abort())
      gate.opened(starting.signal).then(startNow, () => {})
    },
    readiness: createReadiness(consumer, () => findTopicProblems(kafka, topics, deadLetterTopic, announced)),
    liveness: {
      name: 'consumer',
      check: () =>
        checkConsumerLiveness({
          lags: monitor.lags,
          stuckSince: monitor.stuckSince,
          isAssigned: consumer.isAssigned,
          lastSignOfLife: consumer.lastSignOfLife,
          clock,
          stallMs: settings.LIVENESS_STALL_SECONDS * 1_000,
          lastHeldBack: (topic, partition) => heldBack.get(`${topic}/${partition}`),
        }),
    },
  }
}

type WithTopics = EventIngestionDependencies & { readonly topics: readonly string[] }

/** Recognizes a MongoDB that was restored from a backup. */
function createNotes({ kafka, settings, store, registry, logger, now, times, topics }: WithTopics) {
  const group = settings.KAFKA_GROUP_ID
  const readPositions = async () => {
    const reader = kafka.createPositionReader(group, topics)
    return reader.read().finally(() => reader.close())
  }
  const notes = store.groupNotes
  return {
    notes: createOffsetNotes({ notes, group, readPositions, logger }),
    restoreCheck: createRestoreCheck({ notes, group, registry, now, logger, everyMs: times.notesMs }),
  }
}

/** Whether the records, handled alone, would fail with the same error. */
export function wouldFailAgain(error: unknown, records: readonly IncomingRecord[]): boolean {
  if (error instanceof DeadLettersUnavailable) return records.some((record) => error.concerns(record))
  return isStorageUnavailable(error)
}

function keepFrom(now: Date, retentionDays: number | undefined): Date | undefined {
  return retentionDays === undefined ? undefined : new Date(now.getTime() - retentionDays * dayMs)
}

function createObserver(metrics: EventMetrics, logger: Logger) {
  return (handled: readonly HandledRecord[]): void => {
    metrics.observeRecords(handled)
    const isVerbose = logger.isLevelEnabled('debug')
    for (const { record, outcome, traceparent } of handled) {
      if (!isDeadLetter(outcome) && !isVerbose) continue
      const { topic, partition, offset } = record
      const place = { topic, partition, offset, outcome, traceparent }
      if (isDeadLetter(outcome)) logger.warn(place, 'Record sent to the dead-letter topic')
      else logger.debug(place, 'Record processed')
    }
  }
}

/** Ready once topics exist and the consumer has joined. It stays so: `POST /` works while a broker is unavailable. */
function createReadiness(consumer: EventConsumer, findProblems: () => Promise<string[]>): HealthCheck {
  let topicsExist = false
  return {
    name: 'kafka',
    check: async () => {
      if (!topicsExist) {
        const problems = await findProblems()
        if (problems.length > 0) return { ok: false, detail: problems.join('; ') }
        topicsExist = true
      }
      if (!consumer.hasJoinedOnce()) return { ok: false, detail: 'The consumer has not joined its group yet' }
      return { ok: true }
    },
  }
}
