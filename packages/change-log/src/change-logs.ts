import type { ClusterTimes, ReadBudgets } from '@herald/mongo'
import type { ErasedPersons } from '@herald/persons'
import type { Db } from 'mongodb'
import { createChangeEntries } from './change-entries/change-entries.ts'
import type { LogSources } from './documents/collections.ts'
import { createLogOrigins } from './operators/log-origins.ts'
import { createLogStatus } from './operators/log-status.ts'
import { createGrownLogs } from './recorded-order/grown-logs.ts'
import { createRecordedLog } from './recorded-order/recorded-log.ts'
import { createSequencer, type SequencerPace } from './recorded-order/sequencer.ts'
import { createSealedLog } from './sealed-log/sealed-log.ts'
import { createSealing } from './sealing/sealing.ts'
import { createWitnessing } from './witnessing/witnessing.ts'

export type ChangeLogsDependencies = LogSources & {
  /** The database on a client for change streams. */
  readonly watching: Db
  readonly budgets: ReadBudgets
  readonly erasedPersons: ErasedPersons
  readonly retentionDays: number | undefined
  readonly now: () => Date
  /** How far a position is behind what is stored. */
  readonly behindMs: ClusterTimes['behindMs']
  readonly pace?: SequencerPace | undefined
}

/** The change logs of all subscribers: their entries, the recorded order, sealing, proofs. */
export function createChangeLogs(dependencies: ChangeLogsDependencies) {
  const { changeEntries: collection, budgets, erasedPersons } = dependencies
  const grownLogs = createGrownLogs()
  const recordedLog = createRecordedLog(dependencies)
  return {
    changeEntries: createChangeEntries({ collection, budgets, erasedPersons }),
    /** Change entries in the order that the sequencer assigns. */
    recordedLog,
    sequencer: createSequencer({ ...dependencies, ...dependencies.pace, grownLogs }),
    sealing: createSealing({ ...dependencies, grownLogs }),
    createWitnessing: createWitnessing(dependencies),
    /** Change entries under signed checkpoints, with proofs. */
    sealedLog: createSealedLog(dependencies),
    listLogOrigins: createLogOrigins(dependencies),
    /** The recorded order and the sealing of logs. Its cost depends on the limit, and not on the number of logs. */
    readLogStatus: createLogStatus({ ...dependencies, ...recordedLog }),
  }
}

export type ChangeLogs = ReturnType<typeof createChangeLogs>
