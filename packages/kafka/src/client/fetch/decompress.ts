import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { decompressLz4 } from './decompress-lz4.ts'
import { decompressSnappy } from './decompress-snappy.ts'

type Options = { readonly maxOutputLength?: number; readonly chunkSize?: number }
type ZlibCodec = {
  readonly whole: (data: Buffer, options: Options) => Promise<Buffer>
  readonly stream: (options: Options) => zlib.Gunzip | zlib.ZstdDecompress
}

/** Most batches are smaller and decompressed in one call; larger ones are streamed. */
const wholeBytes = 1024 * 1024
const pieceBytes = 256 * 1024

/**
 * Decompresses the records of a batch lazily, piece by piece: a few compressed kilobytes may be gigabytes.
 *
 * @param codec the codec number in the attributes of a record batch
 * @throws the codec's own error when the data is damaged
 */
export function decompress(codec: number, data: Buffer): AsyncIterable<Buffer> | Iterable<Buffer> {
  if (codec === 0) return [data]
  if (codec === 1) return decompressByZlib(data, gzip)
  if (codec === 2) return decompressSnappy(data)
  if (codec === 3) return decompressLz4(data)
  if (codec === 4) return decompressByZlib(data, zstd())
  throw new RangeError(`Unknown codec ${codec}`)
}

const gzip: ZlibCodec = { whole: promisify(zlib.unzip), stream: zlib.createUnzip }
/** A function, so that this file can be loaded by an older Node.js, which then reports that it is too old. */
const zstd = (): ZlibCodec => ({ whole: promisify(zlib.zstdDecompress), stream: zlib.createZstdDecompress })

async function* decompressByZlib(data: Buffer, { whole, stream }: ZlibCodec): AsyncGenerator<Buffer> {
  try {
    yield await whole(data, { maxOutputLength: wholeBytes })
    return
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_BUFFER_TOO_LARGE') throw error
  }
  const pieces = stream({ chunkSize: pieceBytes })
  pieces.end(data)
  yield* pieces as AsyncIterable<Buffer>
}
