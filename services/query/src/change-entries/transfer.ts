import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'

type Pieces = AsyncGenerator<Buffer, void, void>

const chunkBytes = 64 * 1024

async function* chunksOf(first: Awaited<ReturnType<Pieces['next']>>, rest: Pieces) {
  try {
    for (let piece = first; !piece.done; piece = await rest.next()) {
      const { value: bytes } = piece
      for (let from = 0; from < bytes.length; from += chunkBytes) yield bytes.subarray(from, from + chunkBytes)
    }
  } finally {
    await rest.return()
  }
}

/**
 * A body as a stream that requests a piece only when the previous one has been consumed.
 *
 * @throws errors of the first piece, so that unavailable storage is still a problem response
 */
export async function openTransfer(pieces: Pieces, { useGzip }: { readonly useGzip: boolean }) {
  const first = await pieces.next()
  const body = Readable.from(chunksOf(first, pieces), { highWaterMark: 1, objectMode: true })
  // An error destroys the compressor without its trailer, and with it the connection, so the client detects it.
  return useGzip ? pipeline(body, createGzip(), () => {}) : body
}
