export {
  type ChangeEntries,
  type ChangeLog,
  type ChangeLogQuery,
  createChangeEntries,
} from './change-entries/change-entries.ts'
export { createEraseEntries } from './change-entries/erase-entries.ts'
export type { ExportFormat } from './change-entries/export.ts'
export { type ChangeLogs, createChangeLogs } from './change-logs.ts'
export { planChangeLogs } from './collection-plans.ts'
export {
  type ChangeEntryDocument,
  type StoredChangeEntry,
  toChangeEntryDocument,
} from './documents/change-entry-document.ts'
export { type ChangeLogCollections, changeLogCollectionsOf } from './documents/collections.ts'
export type { LogStatus, LogsQuery, LogsStatus } from './operators/log-status.ts'
export type { RecordedLog, RecordedPage } from './recorded-order/recorded-log.ts'
export type { Sequencer, SequencerPace, SequencerProgress } from './recorded-order/sequencer.ts'
export type { ProvenEntry } from './sealed-log/prove-entry.ts'
export type { LogConsistency, SealedExport, SealedLog } from './sealed-log/sealed-log.ts'
export type { Anchor, PublishedCheckpoint, PublishedLog } from './sealing/anchor.ts'
export { LogConflict } from './sealing/log-conflict.ts'
export type { Sealer, SealerListener } from './sealing/sealer.ts'
export type { Sealing } from './sealing/sealing.ts'
export { KeyConflict, OriginConflict, type SealingState } from './sealing/sealing-state.ts'
export type { Submitted } from './witnessing/submit.ts'
export { type AskedWitness, storedNameOf, type WitnessAnswer } from './witnessing/witness.ts'
export type { StartedWitnessing } from './witnessing/witnessing.ts'
