import { uncompress } from 'snappy'

/** Java producers frame snappy in blocks (xerial): this magic, two versions, then each block with its length. */
const xerialMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0])
const xerialHeaderBytes = 16

/** Three bytes of snappy expand to at most 64. A block that declares more is damaged and must not be allocated. */
const highestRatio = 24
const blockBytes = 64 * 1024 * 1024

export async function* decompressSnappy(data: Buffer): AsyncGenerator<Buffer> {
  if (!data.subarray(0, xerialMagic.length).equals(xerialMagic)) {
    yield await decompressBlock(data)
    return
  }
  for (let at = xerialHeaderBytes; at < data.length; ) {
    const end = at + 4 + data.readUInt32BE(at)
    if (end > data.length) throw new RangeError('A snappy block is truncated')
    yield await decompressBlock(data.subarray(at + 4, end))
    at = end
  }
}

async function decompressBlock(block: Buffer): Promise<Buffer> {
  const bytes = declaredBytes(block)
  if (bytes > block.length * highestRatio || bytes > blockBytes) {
    throw new RangeError(`A snappy block of ${block.length} bytes declares ${bytes}`)
  }
  return (await uncompress(block)) as Buffer
}

function declaredBytes(block: Buffer): number {
  let bytes = 0
  for (let at = 0; at < 5; at++) {
    const byte = block[at]
    if (byte === undefined) break
    bytes += (byte & 0x7f) * 2 ** (7 * at)
    if (byte < 0x80) return bytes
  }
  throw new RangeError('A snappy block has no length')
}
