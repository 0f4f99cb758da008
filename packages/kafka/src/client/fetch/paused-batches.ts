import { fetchLimits } from './fetch-limits.ts'
import type { RecordGroup } from './read-records.ts'
import type { RecordBatch } from './record-batch.ts'

type Groups = AsyncGenerator<RecordGroup>
type Paused = {
  readonly firstOffset: number
  readonly nextOffset: number
  readonly groups: Groups
  readonly bytes: number
  readonly at: number
}

export type PausedBatches = ReturnType<typeof createPausedBatches>

/** The batch of a revoked partition is never taken, so it expires. */
const keptMs = 60_000

/** Keeps partially read batches, so that the next fetch does not have to decompress them from the start. */
export function createPausedBatches(now = () => performance.now()) {
  const paused = new Map<string, Paused>()

  const remove = (place: string): Paused | undefined => {
    const found = paused.get(place)
    paused.delete(place)
    return found
  }

  const close = (found: Pick<Paused, 'groups'> | undefined): void => {
    found?.groups.return(undefined).catch(() => {})
  }

  return {
    /**
     * Keeps a partially read batch for the next fetch. Without room it is closed, and the next fetch decompresses it from its
     * start; those that are kept stay, since each of them would otherwise evict the one that is needed next.
     */
    keep(place: string, batch: RecordBatch, nextOffset: number, groups: Groups): void {
      close(remove(place))
      for (const [other, { at }] of paused) if (at + keptMs < now()) close(remove(other))
      const bytes = retainedBytes(batch)
      const sum = [...paused.values()].reduce((total, other) => total + other.bytes, bytes)
      // One batch is always kept: without it, a batch with a large window would be decompressed again for each chunk.
      if (paused.size > 0 && sum > fetchLimits.pausedBytes) close({ groups })
      else paused.set(place, { firstOffset: batch.firstOffset, nextOffset, groups, bytes, at: now() })
    },
    /** Returns the partition's batch if it was paused just before this offset. */
    take(place: string, { firstOffset }: RecordBatch, nextOffset: number): Groups | undefined {
      const found = remove(place)
      if (found?.firstOffset === firstOffset && found.nextOffset === nextOffset) return found.groups
      close(found)
      return undefined
    },
  }
}

const MiB = 1024 * 1024
const zstd = 4

/** The approximate memory of a partially read batch: its compressed bytes, a decompressed piece, and zstd's window. */
function retainedBytes({ codec, records }: RecordBatch): number {
  return records.length + MiB + (codec === zstd ? zstdWindowBytes(records) : 0)
}

/** The window that a zstd frame declares, at most its content: RFC 8878, 3.1.1.1. */
export function zstdWindowBytes(frame: Buffer): number {
  const descriptor = frame[4] ?? 0
  const isSingleSegment = (descriptor & 0x20) !== 0
  // A single segment declares no window: it is the whole content, of which zstd allocates no more than 128 MiB.
  if (isSingleSegment) return Math.min(contentBytes(frame, descriptor), 128 * MiB)
  const window = frame[5] ?? 0
  const base = 2 ** (10 + (window >> 3))
  return base + (base / 8) * (window & 7)
}

function contentBytes(frame: Buffer, descriptor: number): number {
  const at = 5 + ([0, 1, 2, 4][descriptor & 3] as number)
  const size = descriptor >> 6
  if (frame.length < at + 8) return 0
  if (size === 0) return frame.readUInt8(at)
  if (size === 1) return frame.readUInt16LE(at) + 256
  return size === 2 ? frame.readUInt32LE(at) : Number(frame.readBigUInt64LE(at))
}
