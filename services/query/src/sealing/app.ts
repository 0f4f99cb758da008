import { randomUUID } from 'node:crypto'
import {
  createAdminServer,
  createDeadlines,
  createMetrics,
  createStorageCheck,
  type ServiceDependencies,
  systemClock,
} from '@herald/runtime'
import { createStore } from '@herald/store'
import type { SealSettings } from './config.ts'
import { createSequencingMetrics } from './metrics.ts'
import { createSequencingWorker } from './worker.ts'

/** Wires the process that assigns the recorded order of change entries. It has no public HTTP server. */
export function createSealer({ settings, logger, build, releasers }: ServiceDependencies<SealSettings>) {
  const { registry } = createMetrics(build)
  const store = createStore({
    uri: settings.MONGODB_URI,
    database: settings.MONGODB_DATABASE,
    applicationName: 'herald-seal',
    retentionDays: settings.RETENTION_DAYS,
  })
  releasers.add('MongoDB', () => store.close())
  const storage = createStorageCheck({ registry, logger, checkReady: store.checkReady })
  const deadlines = createDeadlines(systemClock)
  const worker = createSequencingWorker({
    sequencer: store.sequencer,
    leases: store.leases,
    storage,
    holder: randomUUID(),
    now: store.now,
    deadlines,
    metrics: createSequencingMetrics(registry, store.recordedLog),
    logger,
  })
  releasers.add('sequencer', () => worker.stop())
  const admin = createAdminServer({
    logger,
    registry,
    livenessChecks: [deadlines.health],
    readinessChecks: [storage],
  })
  return { admin, start: () => worker.start() }
}
