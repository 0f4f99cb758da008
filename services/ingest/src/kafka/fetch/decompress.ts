import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { Decompress as ZstdInJs } from 'fzstd'
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
  if (codec === 1) return decompressByZlib(data, { whole: promisify(zlib.unzip), stream: zlib.createUnzip })
  if (codec === 2) return decompressSnappy(data)
  if (codec === 3) return decompressLz4(data)
  if (codec === 4) return 'zstdDecompress' in zlib ? decompressByZlib(data, nodeZstd()) : decompressZstdInJs(data)
  throw new RangeError(`Unknown codec ${codec}`)
}

// Available since Node.js 22.15.
const nodeZstd = (): ZlibCodec => ({ whole: promisify(zlib.zstdDecompress), stream: zlib.createZstdDecompress })

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

/** Compressed bytes passed to the decoder at once, since 4 of them may be a block of 128 KiB. */
const sliceBytes = 32

export function* decompressZstdInJs(data: Buffer): Generator<Buffer> {
  let pieces: Buffer[] = []
  const decoder = new ZstdInJs((piece) => void pieces.push(Buffer.from(piece)))
  for (let at = 0; at < data.length; at += sliceBytes) {
    decoder.push(data.subarray(at, at + sliceBytes), at + sliceBytes >= data.length)
    yield* pieces
    pieces = []
  }
}
