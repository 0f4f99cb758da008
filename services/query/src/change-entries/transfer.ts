import type { ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { cutWhenStalled } from './cut-when-stalled.ts'
import type { ExportFormat } from './export-formats.ts'

type Steps = AsyncGenerator<readonly Buffer[], void, void>
type Receiver = { readonly isZipped: boolean; readonly response: ServerResponse; readonly stallMs: number }

/** So much goes to the socket at once: a reader who has taken it is seen to read on, however large a step is. */
const pieceBytes = 64 * 1024

/** The whole document, a piece at a time. When a step fails it throws, and the closing never goes out. */
async function* documentOf(format: ExportFormat, first: Awaited<ReturnType<Steps['next']>>, rest: Steps) {
  try {
    let before = format.opening
    for (let step = first; !step.done; step = await rest.next()) {
      if (before !== '') yield before
      const bytes = format.encode(step.value)
      for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes)
      before = format.separator
    }
    yield (first.done ? format.opening : '') + format.closing
  } finally {
    await rest.return()
  }
}

/**
 * The change log as a stream that asks for a step only when the one before has been taken, for a response that is
 * destroyed when its reader takes nothing for `stallMs` milliseconds.
 *
 * @throws what the first step throws: a storage that is away is still an answer of its own then, not a broken transfer
 */
export async function openTransfer(format: ExportFormat, steps: Steps, { isZipped, response, stallMs }: Receiver) {
  const first = await steps.next()
  const pieces = cutWhenStalled(documentOf(format, first, steps), response, stallMs)
  const document = Readable.from(pieces, { highWaterMark: 1, objectMode: true })
  // A failure destroys the compressor without its trailer, and with it the connection: broken, and seen to be.
  return isZipped ? pipeline(document, createGzip(), () => {}) : document
}
