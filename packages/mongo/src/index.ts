export {
  markAfter,
  type Position,
  timeOf,
  timeOfPosition,
  type WatchStep,
  type WithPosition,
  watch,
} from './change-streams/watch.ts'
export { type ClusterTimes, createClusterTimes } from './connection/cluster-times.ts'
export {
  checkFence,
  createFence,
  insertWithinMs,
  lookAgainMs,
  type MonotonicClock,
  ownClock,
} from './connection/fence.ts'
export { runCommand, runWrite } from './connection/run-command.ts'
export { createServerClock } from './connection/server-clock.ts'
export { createStorageClient } from './connection/storage-client.ts'
export {
  duplicateKey,
  hasTakenTooLong,
  isDuplicateKey,
  isStorageUnavailable,
  StorageUnavailableError,
} from './connection/storage-errors.ts'
export { createGuard, type Guard, type Look, type LookOptions } from './guards/guard.ts'
export { advanceHeads, type HeadDocument, later } from './guards/heads.ts'
export { asBuffer, binaryHeader, firstBinary, inputOf, int32, readKey, sizeOf } from './json/bson.ts'
export {
  createPageEncoder,
  encodeDocuments,
  output,
  type Page,
  type Surroundings,
  toWords,
  type Words,
  type WriteDocument,
  writeWords,
} from './json/byte-writer.ts'
export {
  createDocumentWriter,
  csvJson,
  csvText,
  csvTime,
  documentForm,
  fields,
  jsonText,
  jsonTime,
  jsonTimeIfSet,
  uuid,
  verbatim,
} from './json/document-form.ts'
export { createOffsetReader } from './json/field-offsets.ts'
export { endOfText, type JsonText, textAt } from './json/values.ts'
export { inBatches, readInBatches } from './keys/batches.ts'
export {
  byKey,
  createdUpTo,
  greatestId,
  hex,
  type IdRange,
  indexKeysUpTo,
  keyRange,
  keysUnder,
  lastIdOf,
  leastId,
  toIndexKey,
  toKey,
  toUuidBinary,
  uuidIn,
} from './keys/keys.ts'
export { createLeases, type Hold, heldUntil, type LeaseDocument, type Leases } from './leases/leases.ts'
export {
  blocks,
  type CollectionPlan,
  clustered,
  dayLonger,
  due,
  expiry,
  heads,
  ifPresent,
  retentionOf,
} from './migration/collection-plan.ts'
export { type Differences, findDifferences } from './migration/find-missing.ts'
export { createIfMissing, createIndex, migrate, replaceUnclustered } from './migration/migrate.ts'
export { createDatabaseReadiness } from './migration/readiness.ts'
export { eachAtOnce } from './reading/each-at-once.ts'
export { findByKeys } from './reading/find-by-keys.ts'
export { findBytes, runForBytes } from './reading/find-bytes.ts'
export { type FindFew, findFew } from './reading/find-few.ts'
export { findTogether } from './reading/find-together.ts'
export { firstStepCount, nextCount, stepBytes } from './reading/next-count.ts'
export { behind, type KeyRange, nextRange } from './reading/next-range.ts'
export { findPage, type PageSource } from './reading/page.ts'
export { readAhead } from './reading/read-ahead.ts'
export { lookWithin, maxResponseBytes, noReadBudgets, type ReadBudgets, type Reader } from './reading/read-budget.ts'
export { readLimits, readsAfter, userReads } from './reading/read-limits.ts'
export {
  continueAfter,
  examineNext,
  isPlain,
  readCandidates,
  responseBytes,
  type Scan,
  type Segment,
  scanNext,
} from './reading/scan.ts'
export { considerate, type InsertOutcome, insertNew, leaveToOthers } from './writing/insert-new.ts'
export { type KeyDocument, renewSharedKey, sharedKey } from './writing/shared-key.ts'
export { writeAll, writeEach } from './writing/write-each.ts'
