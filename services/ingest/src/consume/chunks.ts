import type { RecordHeaders } from '@herald/contracts'
import { inGroups, type PartitionShare } from '@herald/kafka'
import type { RecordKind } from '../settings/config.ts'

const chunkLimits = { records: 1_000, bytes: 512 * 1024, operations: 4_000 } as const

type Sized = {
  readonly key?: Uint8Array | null
  readonly value: Uint8Array | null
  readonly headers?: RecordHeaders | undefined
}

function sizeOf({ key, value, headers }: Sized): number {
  let bytes = (key?.length ?? 0) + (value?.length ?? 0)
  for (const name in headers) {
    const header = headers[name]
    if (!Array.isArray(header)) bytes += name.length + (header?.length ?? 0)
    else for (const one of header) bytes += name.length + (one?.length ?? 0)
  }
  return bytes
}

/**
 * How many records, and bytes of them, make about one chunk. A little less than the limit of bytes, since what is fetched
 * exceeds it by a few records, which would become a chunk of their own.
 */
export function chunkShare(kind: RecordKind): PartitionShare {
  const records = kind === 'receipt' ? Math.floor(chunkLimits.operations / operationsPerReceipt) : chunkLimits.records
  return { records, bytes: (chunkLimits.bytes * 7) / 8 }
}

/** Bytes of a mention beyond this are attributed to recipients, each of which takes at least `bytesPerRecipient`. */
const bytesBesideRecipients = 2_048
const bytesPerRecipient = 38
/** A receipt costs more than an insert: at least one update, and several if its notification is missing. */
const operationsPerReceipt = 16
/** An insert, and an update of the subscriber's head. */
const operationsPerErasure = 4

/** Estimates from above, without parsing, how many inserts in MongoDB a record is equivalent to. */
function operationsOf(record: Sized, kind: RecordKind): number {
  if (kind === 'receipt') return operationsPerReceipt
  if (kind === 'privacy') return operationsPerErasure
  // A captured change may make 200 entries, but each of them costs bytes, which are limited as well.
  if (kind === 'change' || kind === 'captured') return 1
  return 1 + Math.max(0, Math.ceil((sizeOf(record) - bytesBesideRecipients) / bytesPerRecipient))
}

/**
 * Splits a batch into chunks of at most 1,000 records, about 512 KiB and about 4,000 operations, so that each takes far
 * less than the session timeout. A larger record becomes its own chunk.
 */
export function chunksOf<T extends Sized>(records: readonly T[], kind: RecordKind): Generator<T[]> {
  return inGroups(records, Object.values(chunkLimits), (record) => loadOf([record], kind))
}

/** Groups what is handled together, in order, up to the size of a chunk. */
export function groupsOf<T extends { readonly records: readonly Sized[] }>(items: readonly T[], kind: RecordKind) {
  return inGroups(items, Object.values(chunkLimits), ({ records }) => loadOf(records, kind))
}

function loadOf(
  records: readonly Sized[],
  kind: RecordKind,
): readonly [records: number, bytes: number, operations: number] {
  let [bytes, operations] = [0, 0]
  for (const record of records) {
    bytes += sizeOf(record)
    operations += operationsOf(record, kind)
  }
  return [records.length, bytes, operations]
}
