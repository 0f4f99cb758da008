import { type DeadLetterReason, deadLetterReasons } from '@herald/contracts'
import type { Clock } from '@herald/runtime'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { type HandledRecord, isDeadLetter, type RecordOutcome } from '../events/record-outcome.ts'
import type { RecordKind } from '../settings/config.ts'
import type { Chunk } from './batch-runner.ts'
import type { LagMonitor, PartitionLag } from './lag-monitor.ts'

export function createEventMetrics(registry: Registry, clock: Clock, kinds: ReadonlyMap<string, RecordKind>) {
  const registers = [registry]
  const events = new Counter({
    name: 'herald_events_total',
    help: 'Records by topic and outcome (stored, expired, skipped, dead-letter); a redelivered record is counted again',
    labelNames: ['topic', 'outcome'],
    registers,
  })
  const deadLetters = new Counter({
    name: 'herald_dead_letters_total',
    help: 'Dead letters by code',
    labelNames: ['code'],
    registers,
  })
  const age = new Histogram({
    name: 'herald_event_age_seconds',
    help: 'Time from the broker’s timestamp of a record until it is stored, by topic',
    labelNames: ['topic'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600, 3_600],
    registers,
  })
  const chunkRecords = new Histogram({
    name: 'herald_chunk_records',
    help: 'Records per chunk, by topic',
    labelNames: ['topic'],
    buckets: [1, 5, 20, 50, 100, 200, 500, 1_000],
    registers,
  })
  const chunkSeconds = new Histogram({
    name: 'herald_chunk_seconds',
    help: 'Time to store and commit a chunk, by topic',
    labelNames: ['topic'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const retries = new Counter({
    name: 'herald_chunk_retries_total',
    help: 'Chunks that could not be stored or dead-lettered and are retried, by topic',
    labelNames: ['topic'],
    registers,
  })
  // A series that starts with its first event starts at 1, which `increase` does not see.
  for (const code of Object.keys(deadLetterReasons)) deadLetters.inc({ code }, 0)
  for (const [topic, kind] of kinds) {
    retries.inc({ topic }, 0)
    if (kind === 'captured') events.inc({ topic, outcome: 'skipped' }, 0)
    for (const outcome of ['stored', 'expired', 'dead-letter']) events.inc({ topic, outcome }, 0)
  }
  let lastProgress = clock()
  new Gauge({
    name: 'herald_seconds_since_progress',
    help: 'Time since a chunk was last committed, or since the start',
    registers,
    collect() {
      this.set((clock().getTime() - lastProgress.getTime()) / 1_000)
    },
  })

  const observeTopic = (topic: string, handled: readonly HandledRecord[]): void => {
    const now = clock().getTime()
    const ages = age.labels(topic)
    const counts = new Map<RecordOutcome, number>()
    for (const { record, outcome } of handled) {
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
      if (!isDeadLetter(outcome)) ages.observe(Math.max(0, now - Number(record.timestamp)) / 1_000)
    }
    for (const [outcome, count] of counts) {
      events.inc({ topic, outcome: isDeadLetter(outcome) ? 'dead-letter' : outcome }, count)
      if (isDeadLetter(outcome)) deadLetters.inc({ code: outcome }, count)
    }
  }

  return {
    /** Counts a whole chunk, since looking up labels for each record costs more than parsing it. */
    observeRecords(handled: readonly HandledRecord[]) {
      for (const [topic, ofTopic] of Map.groupBy(handled, ({ record }) => record.topic)) observeTopic(topic, ofTopic)
    },
    observeDeadLetters: (code: DeadLetterReason, count: number) => deadLetters.inc({ code }, count),
    observeChunk({ topic, records, seconds }: Chunk) {
      lastProgress = clock()
      chunkRecords.observe({ topic }, records)
      chunkSeconds.observe({ topic }, seconds)
    },
    observeRetry: (topic: string) => retries.inc({ topic }),
    /** Exposes the group's progress on each partition as of the broker; nothing while the broker is unavailable. */
    showPartitions({ lags, stuckSince }: Pick<LagMonitor, 'lags' | 'stuckSince'>) {
      const show = (name: string, help: string, read: (partition: PartitionLag) => number) =>
        new Gauge({
          name,
          help: `${help}, by topic and partition`,
          labelNames: ['topic', 'partition'],
          registers,
          collect() {
            this.reset()
            for (const one of lags()) this.set({ topic: one.topic, partition: one.partition }, read(one))
          },
        })
      const progressHelp = 'Time since the last commit on a partition while records are waiting, else 0'
      show('herald_partition_seconds_since_progress', progressHelp, ({ topic, partition }) => {
        const since = stuckSince(topic, partition)
        return since ? (clock().getTime() - since.getTime()) / 1_000 : 0
      })
      show('herald_lag_records', 'Records that the group has not committed yet', ({ lag }) => lag)
    },
  }
}

export type EventMetrics = ReturnType<typeof createEventMetrics>
