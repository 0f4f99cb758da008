import { decompressFrame } from 'lz4-napi'

const magic = Buffer.from([0x04, 0x22, 0x4d, 0x18])
const blocksAreIndependent = 0x20
const blocksHaveChecksums = 0x10
const hasContentSize = 0x08
const hasContentChecksum = 0x04
const hasDictionaryId = 0x01
const isStored = 0x80000000

/** Headers of frames with independent blocks and no checksums, by block size: 64 KiB, 256 KiB, 1 MiB, 4 MiB. */
const heads: Readonly<Record<number, Buffer>> = Object.fromEntries(
  [
    [0x40, 0x82],
    [0x50, 0xfb],
    [0x60, 0x51],
    [0x70, 0x73],
  ].map(([size, check]) => [size, Buffer.concat([magic, Buffer.from([0x60, size as number, check as number])])]),
)
const endMark = Buffer.alloc(4)

/**
 * Kafka's frames have independent blocks of a declared size, usually 64 KiB, which are decompressed in groups of up to
 * 1 MiB. Dependent blocks have to be decompressed together, up to 64 MiB.
 */
export async function* decompressLz4(data: Buffer): AsyncGenerator<Buffer> {
  if (!data.subarray(0, 4).equals(magic)) throw new RangeError('Not an lz4 frame')
  const flags = data.readUInt8(4)
  const head = heads[data.readUInt8(5)]
  if (head === undefined) throw new RangeError('Unknown block size of an lz4 frame')
  const blocks = [...blocksOf(data, flags)]
  if ((flags & blocksAreIndependent) === 0) {
    if (blocks.length * blockBytesOf(head) > dependentBytes) throw new RangeError('The lz4 frame is too large')
    yield await decompressFrame(data)
    return
  }
  const count = Math.max(1, Math.floor(groupBytes / blockBytesOf(head)))
  for (let at = 0; at < blocks.length; at += count) {
    yield await decompressFrame(Buffer.concat([head, ...blocks.slice(at, at + count), endMark]))
  }
}

const dependentBytes = 64 * 1024 * 1024
const groupBytes = 1024 * 1024

const blockBytesOf = (head: Buffer) => 64 * 1024 * 4 ** (((head[5] ?? 0) >> 4) - 4)

function* blocksOf(data: Buffer, flags: number): Generator<Buffer> {
  let at = 7 + ((flags & hasContentSize) === 0 ? 0 : 8) + ((flags & hasDictionaryId) === 0 ? 0 : 4)
  for (;;) {
    // `readUInt32LE` throws at the end of a truncated frame, which has no end mark.
    const length = (data.readUInt32LE(at) & ~isStored) >>> 0
    if (length === 0) break
    const end = at + 4 + length
    if (end > data.length) throw new RangeError('An lz4 block is truncated')
    yield data.subarray(at, end)
    at = end + ((flags & blocksHaveChecksums) === 0 ? 0 : 4)
  }
  if ((flags & hasContentChecksum) !== 0) data.readUInt32LE(at + 4)
}
