import { randomUUID } from 'node:crypto'
import { KeyConflict, OriginConflict } from '@herald/change-log'
import { createKafka, toKafkaOptions } from '@herald/kafka'
import {
  type AdminServer,
  createAdminServer,
  createDeadlines,
  createMetrics,
  createStorageCheck,
  type Logger,
  type ServiceDependencies,
  systemClock,
} from '@herald/runtime'
import { createStore, isStorageUnavailable, type Store } from '@herald/store'
import type { Registry } from 'prom-client'
import { observeLease } from '../sequencing/held-lease.ts'
import { createSequencingMetrics } from '../sequencing/metrics.ts'
import { createSequencingWorker, openOnceReady } from '../sequencing/worker.ts'
import { sealGroupPrefix } from './accept-restore.ts'
import type { SealSettings } from './config.ts'
import { createKafkaAnchor } from './kafka-anchor.ts'
import { createSealingMetrics, type SealingMetrics } from './metrics.ts'
import { createSigner, type Signer } from './signer.ts'
import { createTopicMemory } from './topic-memory.ts'
import { createWitnesses } from './witnesses.ts'
import { createSealingWorker } from './worker.ts'

type Sealer = { readonly admin: AdminServer; readonly start: () => Promise<void> }

/** Wires the process that assigns the recorded order of change entries, and seals it. It has no public HTTP server. */
export function createSealService(
  { settings, logger, build, releasers }: ServiceDependencies<SealSettings>,
  { acceptKey }: { readonly acceptKey: boolean },
): Sealer {
  const { registry } = createMetrics(build)
  const store = createStore({
    uri: settings.MONGODB_URI,
    database: settings.MONGODB_DATABASE,
    applicationName: 'herald-seal',
    retentionDays: settings.RETENTION_DAYS,
  })
  releasers.add('MongoDB', () => store.close())
  const storage = createStorageCheck({ registry, logger, now: store.now, checkReady: store.checkReady })
  const deadlines = createDeadlines(systemClock)
  const { leases, isHeld } = observeLease(store.leases)
  const shared = { now: store.now, deadlines, logger }
  const sequencing = createSequencingWorker({
    ...shared,
    sequencer: store.sequencer,
    leases,
    storage,
    holder: randomUUID(),
    metrics: createSequencingMetrics(registry, store.recordedLog),
  })
  releasers.add('sequencer', () => sequencing.stop())
  const signer = createSigner(settings)
  const metrics = signer && createSealingMetrics(registry, store.sealing.conflicts)
  const published = signer && metrics && openTopic({ settings, logger, store, signer, metrics, registry })
  if (published) releasers.add('Kafka', () => published.close())
  if (settings.KAFKA_CHECKPOINT_TOPIC !== undefined && signer === undefined) {
    logger.warn('KAFKA_CHECKPOINT_TOPIC has no effect without LOG_SIGNING_KEY')
  }
  const policy = settings.LOG_WITNESS_POLICY
  const witnessing = policy && metrics && createWitnesses({ policy, store, metrics, logger })
  if (signer && published === undefined && !policy?.witnesses.length) logger.warn(noWitnesses)
  const noteKeys = signer && createNoteKeys(store, signer, acceptKey)
  const sealing =
    signer &&
    noteKeys &&
    metrics &&
    createSealingWorker({
      ...shared,
      gate: openOnceReady(storage),
      sealing: store.sealing,
      signer,
      intervalMs: settings.SEAL_INTERVAL_SECONDS * 1_000,
      anchor: published?.anchor,
      witnessing,
      isSequencing: isHeld,
      noteKeys,
      metrics,
    })
  if (sealing) releasers.add('sealer', () => sealing.stop())
  const admin = createAdminServer({
    logger,
    registry,
    livenessChecks: [deadlines.health],
    readinessChecks: [storage, ...(published ? [published.memory.check] : [])],
  })
  return {
    admin,
    async start() {
      if (noteKeys) await refuseToStart(noteKeys, logger)
      else await warnIfSealedBefore({ store, logger })
      published?.memory.start()
      sequencing.start()
      sealing?.start()
    },
  }
}

const noWitnesses =
  'LOG_SIGNING_KEY is set without KAFKA_CHECKPOINT_TOPIC and LOG_WITNESS_POLICY: whoever can write to MongoDB can have another history signed after a restart of this process'

type TopicDependencies = Pick<ServiceDependencies<SealSettings>, 'settings' | 'logger'> &
  NoteDependencies & { readonly metrics: SealingMetrics; readonly registry: Registry }

function openTopic({ settings, logger, store, signer, metrics, registry }: TopicDependencies) {
  const { KAFKA_CHECKPOINT_TOPIC: topic, KAFKA_BROKERS: brokers } = settings
  if (topic === undefined || brokers === undefined) return undefined
  const options = toKafkaOptions({ ...settings, KAFKA_BROKERS: brokers }, 'herald-seal')
  const kafka = createKafka({ ...options, temporaryGroupPrefix: sealGroupPrefix }, logger)
  const { sealing } = store
  const { anchor, close } = createKafkaAnchor({ kafka, topic, signer, sealing, logger, onForeign: metrics.foreign })
  const memory = createTopicMemory({ kafka, topic, registry })
  return {
    anchor,
    memory,
    close() {
      memory.stop()
      return close()
    },
  }
}

/** Only the process that assigns the order seals, so one without a key keeps the others from it. */
async function warnIfSealedBefore({ store, logger }: Omit<NoteDependencies, 'signer'>): Promise<void> {
  const state = await store.sealing.state.read().catch(() => undefined)
  if (state === undefined) return
  const setting = 'LOG_SIGNING_KEY'
  logger.warn(
    { setting },
    `Change logs were sealed before; without ${setting} nothing is while this process assigns the order`,
  )
}

type NoteDependencies = { readonly signer: Signer; readonly store: Pick<Store, 'sealing'>; readonly logger: Logger }

/** The first time, another key in use is a conflict; afterwards another process may have begun to rotate it. */
function createNoteKeys(store: Pick<Store, 'sealing'>, signer: Signer, acceptKey: boolean): () => Promise<void> {
  let as: 'start' | 'accept' | 'work' = acceptKey ? 'accept' : 'start'
  return async () => {
    await store.sealing.state.note(signer.state, { as })
    as = 'work'
  }
}

/** Under another origin, or with another key. While MongoDB is unavailable, the worker finds it out later, and seals nothing. */
async function refuseToStart(noteKeys: () => Promise<void>, logger: Logger): Promise<void> {
  try {
    await noteKeys()
  } catch (error) {
    if (error instanceof OriginConflict) logger.fatal({ setting: 'LOG_ORIGIN' }, `LOG_ORIGIN: ${error.message}`)
    if (error instanceof KeyConflict) logger.fatal({ setting: 'LOG_SIGNING_KEY' }, `LOG_SIGNING_KEY: ${error.message}`)
    if (!isStorageUnavailable(error)) throw error
    logger.warn({ err: error }, 'MongoDB is not available yet')
  }
}
