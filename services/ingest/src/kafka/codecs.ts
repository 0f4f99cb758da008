import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { decompress as decompressZstdInJs } from 'fzstd'
import kafkajs from 'kafkajs'
import { decompressFrame } from 'lz4-napi'
import { uncompress as snappyUncompress } from 'snappy'

const { CompressionCodecs, CompressionTypes } = kafkajs

/** Producers on the JVM frame snappy in blocks (xerial): this magic, two versions, then length and block in turn. */
const xerialMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0])
const xerialHeaderBytes = 16

async function decompressSnappy(data: Buffer): Promise<Buffer> {
  if (!data.subarray(0, xerialMagic.length).equals(xerialMagic)) return (await snappyUncompress(data)) as Buffer
  const blocks: Buffer[] = []
  for (let at = xerialHeaderBytes; at < data.length; ) {
    const end = at + 4 + data.readUInt32BE(at)
    blocks.push((await snappyUncompress(data.subarray(at + 4, end))) as Buffer)
    at = end
  }
  return Buffer.concat(blocks)
}

/** Node's own, from 22.15 on; on an older one a slower codec, for a batch that can't be read stops its partition. */
const decompressZstd =
  'zstdDecompress' in zlib
    ? promisify(zlib.zstdDecompress)
    : async (data: Buffer) => Buffer.from(decompressZstdInJs(data))

const readOnly = () => {
  throw new Error('Herald reads this codec, and writes without one')
}

/**
 * Teaches kafkajs the codecs that it lacks. It keeps them in a table of its own, process-wide, and one batch in a codec
 * that is not there would stop its partition for good: so this is called before a consumer is made.
 */
export function registerCodecs(): void {
  CompressionCodecs[CompressionTypes.Snappy] = () => ({
    compress: readOnly,
    decompress: decompressSnappy,
  })
  CompressionCodecs[CompressionTypes.LZ4] = () => ({
    compress: readOnly,
    decompress: (data: Buffer) => decompressFrame(data),
  })
  CompressionCodecs[CompressionTypes.ZSTD] = () => ({
    compress: readOnly,
    decompress: (data: Buffer) => decompressZstd(data),
  })
}
