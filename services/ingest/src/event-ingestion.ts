import type { Clock, HealthCheck, Logger, Releasers, Tracing } from '@herald/runtime'
import { isStorageUnavailable, type Store } from '@herald/store'
import type { AnnounceCreated } from './announcements/announce-created.ts'
import type { Settings } from './config.ts'
import { createDeadLetterPublisher, DeadLettersUnavailable } from './consume/dead-letter-publisher.ts'
import { createEventConsumer, type EventConsumer } from './consume/event-consumer.ts'
import { createGatheredHandler } from './consume/gathered-handler.ts'
import type { KafkaPort } from './consume/kafka-port.ts'
import { createLagMonitor } from './consume/lag-monitor.ts'
import { checkConsumerLiveness } from './consume/liveness.ts'
import { findTopicProblems } from './consume/topic-problems.ts'
import type { IncomingRecord } from './events/incoming-record.ts'
import { createOverdueReceipts } from './events/overdue-receipts.ts'
import { createRecordHandler, type HandledRecord, type RecordHandlerDependencies } from './events/record-handler.ts'
import type { RecordKind } from './events/record-kind.ts'
import { isDeadLetter } from './events/record-outcome.ts'
import { createTracedRecordHandler } from './events/traced-record-handler.ts'
import type { EventMetrics } from './metrics.ts'
import type { StorageGate } from './storage-gate.ts'

export type EventIngestionDependencies = {
  readonly kafka: KafkaPort
  readonly settings: Settings
  readonly store: Store
  readonly gate: StorageGate
  readonly metrics: EventMetrics
  readonly onDroppedReceipts?: ((count: number) => void) | undefined
  readonly logger: Logger
  readonly releasers: Releasers
  readonly clock: Clock
  readonly tracing?: Tracing | undefined
  readonly announceCreated?: AnnounceCreated | undefined
}

/** The consumer of events and its checks; not started yet. */
export type EventIngestion = {
  /** Consumes as soon as collections and indexes exist. Returns immediately. */
  start(): void
  readonly readiness: HealthCheck
  readonly liveness: HealthCheck
}

const dayMs = 24 * 60 * 60 * 1_000

export function createEventIngestion(dependencies: EventIngestionDependencies): EventIngestion {
  const {
    kafka,
    settings,
    store,
    gate,
    metrics,
    onDroppedReceipts,
    logger,
    releasers,
    clock,
    tracing,
    announceCreated,
  } = dependencies
  const capturedChanges = settings.CDC_MAPPINGS
  const kinds = new Map<string, RecordKind>([
    [settings.KAFKA_MENTION_TOPIC, 'mention'],
    [settings.KAFKA_CHANGE_TOPIC, 'change'],
    [settings.KAFKA_RECEIPT_TOPIC, 'receipt'],
    ...(settings.KAFKA_PRIVACY_TOPIC === undefined ? [] : [[settings.KAFKA_PRIVACY_TOPIC, 'privacy'] as const]),
    ...(capturedChanges?.topics ?? []).map((topic) => [topic, 'captured'] as const),
  ])
  const topics = [...kinds.keys()]
  const shared = { kafka, groupId: settings.KAFKA_GROUP_ID, topics }
  const deadLetterTopic = settings.KAFKA_DEAD_LETTER_TOPIC
  const announced = [settings.KAFKA_NOTIFICATION_TOPIC].filter((topic) => topic !== undefined)
  const publisher = createDeadLetterPublisher(kafka, deadLetterTopic)
  releasers.add('dead-letter producer', () => publisher.close())
  const deadLetters = capturedChanges?.redacting(publisher) ?? publisher

  const handling: RecordHandlerDependencies = {
    ...store,
    deadLetters,
    capturedChanges,
    announceCreated,
    group: shared.groupId,
    times: () => ({ now: clock(), keepFrom: keepFrom(clock(), settings.RETENTION_DAYS) }),
    observe: createObserver(metrics, logger),
    onDroppedReceipts,
  }
  const handle = tracing ? createTracedRecordHandler(handling, tracing) : createRecordHandler(handling)
  const heldBack = new Map<string, Date>()
  const consumer = createEventConsumer({
    ...shared,
    deadLetterTopic,
    clock,
    logger,
    kindOf: (topic) => kinds.get(topic) as RecordKind,
    handle: createGatheredHandler(handle, wouldFailAgain),
    onChunk: metrics.observeChunk,
    onHeldBack(topic, partition) {
      heldBack.set(`${topic}/${partition}`, clock())
      metrics.observeRetry(topic)
    },
  })
  const overdueReceipts = createOverdueReceipts({
    receipts: store.receipts,
    deadLetters,
    group: shared.groupId,
    clock,
    logger,
    mentionsCaughtUpTo: () => monitor.caughtUpTo(settings.KAFKA_MENTION_TOPIC),
    observe: metrics.observeDeadLetters,
  })
  const monitor = createLagMonitor({ ...shared, clock, logger, onPoll: () => void overdueReceipts.process() })
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
    start() {
      const starting = new AbortController()
      releasers.add('start of the consumer', async () => starting.abort())
      gate.opened(starting.signal).then(startNow, () => {})
    },
    readiness: createReadiness(consumer, () => findTopicProblems(kafka, topics, deadLetterTopic, announced)),
    liveness: {
      name: 'consumer',
      check: () =>
        checkConsumerLiveness({
          ...monitor,
          ...consumer,
          clock,
          stallMs: settings.LIVENESS_STALL_SECONDS * 1_000,
          lastHeldBack: (topic, partition) => heldBack.get(`${topic}/${partition}`),
        }),
    },
  }
}

function wouldFailAgain(error: unknown, records: readonly IncomingRecord[]): boolean {
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

/**
 * Ready once the topics exist and the consumer has joined its group. It stays ready: `POST /` works while a broker is
 * unavailable.
 */
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
