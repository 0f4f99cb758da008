import { uncompress } from 'snappy'

/** Producers on the JVM frame snappy in blocks (xerial): this magic, two versions, then length and block in turn. */
const xerialMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0])
const xerialHeaderBytes = 16

/** Three bytes of snappy are 64 at the most: a block that declares more is damaged, and would be allocated first. */
const highestRatio = 24
const blockBytes = 64 * 1024 * 1024

export async function* decompressSnappy(data: Buffer): AsyncGenerator<Buffer> {
  if (!data.subarray(0, xerialMagic.length).equals(xerialMagic)) {
    yield await decompressBlock(data)
    return
  }
  for (let at = xerialHeaderBytes; at < data.length; ) {
    const end = at + 4 + data.readUInt32BE(at)
    if (end > data.length) throw new RangeError('A block of snappy is cut short')
    yield await decompressBlock(data.subarray(at + 4, end))
    at = end
  }
}

async function decompressBlock(block: Buffer): Promise<Buffer> {
  const bytes = declaredBytes(block)
  if (bytes > block.length * highestRatio || bytes > blockBytes) {
    throw new RangeError(`A block of snappy of ${block.length} bytes declares ${bytes}`)
  }
  return (await uncompress(block)) as Buffer
}

/** A block begins with its length, as a varint. */
function declaredBytes(block: Buffer): number {
  let bytes = 0
  for (let at = 0; at < 5; at++) {
    const byte = block[at]
    if (byte === undefined) break
    bytes += (byte & 0x7f) * 2 ** (7 * at)
    if (byte < 0x80) return bytes
  }
  throw new RangeError('A block of snappy without a length')
}
