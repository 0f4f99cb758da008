import type { RecordHeaders, TopicKind } from '@herald/contracts'
import type { IHeaders } from 'kafkajs'

/** As much as is handled at once. */
export const chunkLimits = { records: 1_000, bytes: 512 * 1024, operations: 4_000 } as const

type Sized = {
  readonly key?: Uint8Array | null
  readonly value: Uint8Array | null
  readonly headers?: IHeaders | RecordHeaders | undefined
}

/** The bytes of a record that count against the limit: all of it. */
export function sizeOf({ key, value, headers }: Sized): number {
  let bytes = (key?.length ?? 0) + (value?.length ?? 0)
  for (const name in headers) {
    const header = headers[name]
    if (!Array.isArray(header)) bytes += name.length + (header?.length ?? 0)
    else for (const one of header) bytes += name.length + (one?.length ?? 0)
  }
  return bytes
}

/** A mention of more bytes than these has them of its recipients, at least so many each. */
const bytesBesideRecipients = 2_048
const bytesPerRecipient = 38
/** A receipt is an update of its own, several in turn where its notification is missing: dear, compared with an insert. */
const operationsPerReceipt = 16

/** How much work in MongoDB a record may be, before it is read: in documents to insert, and rather too many than too few. */
export function operationsOf(record: Sized, kind: TopicKind): number {
  if (kind === 'receipt') return operationsPerReceipt
  if (kind === 'change') return 1
  return 1 + Math.max(0, Math.ceil((sizeOf(record) - bytesBesideRecipients) / bytesPerRecipient))
}

/**
 * Cuts a batch into chunks of at most 1,000 records, about 512 KiB and some 4,000 operations, so that each is done long
 * before the group loses patience. A record that is larger is a chunk of its own.
 */
export function* chunksOf<T extends Sized>(records: readonly T[], kind: TopicKind): Generator<T[]> {
  let chunk: T[] = []
  let load = emptyLoad
  for (const record of records) {
    const more = loadOf([record], kind)
    if (chunk.length > 0 && isTooMuch(sumOf(load, more))) {
      yield chunk
      chunk = []
      load = emptyLoad
    }
    chunk.push(record)
    load = sumOf(load, more)
  }
  if (chunk.length > 0) yield chunk
}

/** What is held against the limits of a chunk. */
export type Load = { readonly records: number; readonly bytes: number; readonly operations: number }

const emptyLoad: Load = { records: 0, bytes: 0, operations: 0 }

export function loadOf(records: readonly Sized[], kind: TopicKind): Load {
  let [bytes, operations] = [0, 0]
  for (const record of records) {
    bytes += sizeOf(record)
    operations += operationsOf(record, kind)
  }
  return { records: records.length, bytes, operations }
}

export function sumOf(a: Load, b: Load): Load {
  return { records: a.records + b.records, bytes: a.bytes + b.bytes, operations: a.operations + b.operations }
}

export function isTooMuch({ records, bytes, operations }: Load): boolean {
  return records > chunkLimits.records || bytes > chunkLimits.bytes || operations > chunkLimits.operations
}
