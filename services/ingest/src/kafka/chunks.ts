import type { RecordHeaders } from '@herald/contracts'
import type { IHeaders } from 'kafkajs'

/** As much as is handled at once. */
export const chunkLimits = { records: 1_000, bytes: 512 * 1024 } as const

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

/**
 * Cuts a batch into chunks of at most 1,000 records and about 512 KiB, so that each is done long before the group loses
 * patience: 512 KiB of mentions may mean 13,000 documents. A record that is larger is a chunk of its own.
 */
export function* chunksOf<T extends Sized>(records: readonly T[]): Generator<T[]> {
  let chunk: T[] = []
  let bytes = 0
  for (const record of records) {
    const size = sizeOf(record)
    if (chunk.length === chunkLimits.records || (chunk.length > 0 && bytes + size > chunkLimits.bytes)) {
      yield chunk
      chunk = []
      bytes = 0
    }
    chunk.push(record)
    bytes += size
  }
  if (chunk.length > 0) yield chunk
}
