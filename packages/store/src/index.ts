export type {
  Announcement,
  Announcements,
  Announcing,
  Counts,
  CreateRequests,
  Digests,
  DueBatch,
  DueItem,
  Feed,
  FeedChanges,
  FeedOwner,
  FeedStep,
  Mutes,
  NewNotification,
  OverdueReceipts,
  Receipt,
  ReceiptKind,
  Receipts,
  Reservation,
  Retraction,
  Retractions,
  Unfinished,
} from '@herald/feed'
export {
  createdBody,
  type FeedChange,
  type Marked,
  ownerKey,
  RetractionUnfinishedError,
  type Selected,
} from '@herald/feed'
export type { InsertOutcome, Leases } from '@herald/mongo'
export { isStorageUnavailable, type Position, StorageUnavailableError, timeOfPosition } from '@herald/mongo'
export type { ErasureProgress, Erasures, OpenErasure } from '@herald/persons'
export { type Erasure, type ErasurePhase, erasurePhases } from '@herald/persons'
export type { ChangeEntries, ChangeLog } from './change-entries/change-entries.ts'
export type { ExportFormat } from './change-entries/export.ts'
export type { ChangeEntryDocument, StoredChangeEntry } from './documents/change-entry-document.ts'
export type { LogPageDocument, LogStateDocument } from './documents/log-page-document.ts'
export type { CheckpointDocument, LogNodeDocument } from './documents/sealed-log-document.ts'
export type { FoundEvent } from './lookup/event-lookup.ts'
export type { LogStatus, LogsStatus } from './lookup/log-status.ts'
export type { StorageState } from './lookup/storage-state.ts'
export type { RecordedLog, RecordedPage } from './recorded-order/recorded-log.ts'
export type { Sequencer, SequencerProgress } from './recorded-order/sequencer.ts'
export type { ProvenEntry } from './sealed-log/prove-entry.ts'
export type { LogConsistency, SealedExport, SealedLog } from './sealed-log/sealed-log.ts'
export type { Anchor, PublishedCheckpoint, PublishedLog } from './sealing/anchor.ts'
export { LogConflict } from './sealing/log-conflict.ts'
export type { Sealer, SealerListener } from './sealing/sealer.ts'
export type { Sealing } from './sealing/sealing.ts'
export { KeyConflict, OriginConflict, type SealingState } from './sealing/sealing-state.ts'
export { createStore, type Notifications, type Store, type StoreOptions } from './store.ts'
