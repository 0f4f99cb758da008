import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { ExportFormat } from './export-formats.ts'

type Steps = AsyncGenerator<readonly Buffer[], void, void>

/** The size of the chunks written to the socket. */
const chunkBytes = 64 * 1024

/** Bytes of entries encoded at once, because a slow reader would hold the text of a whole step in memory. */
const batchBytes = 256 * 1024

/** Splits the entries of a step into groups of about {@link batchBytes}. */
function* batchesOf(entries: readonly Buffer[]): Generator<readonly Buffer[]> {
  let start = 0
  let bytes = 0
  for (const [index, { length }] of entries.entries()) {
    bytes += length
    if (bytes < batchBytes) continue
    yield entries.slice(start, index + 1)
    start = index + 1
    bytes = 0
  }
  if (start < entries.length) yield entries.slice(start)
}

/** Yields the document in chunks. If a step fails, it throws without the closing. */
async function* documentOf(format: ExportFormat, first: Awaited<ReturnType<Steps['next']>>, rest: Steps) {
  try {
    let before = format.opening
    for (let step = first; !step.done; step = await rest.next()) {
      for (const entries of batchesOf(step.value)) {
        if (before !== '') yield before
        const bytes = format.encode(entries)
        for (let from = 0; from < bytes.length; from += chunkBytes) yield bytes.subarray(from, from + chunkBytes)
        before = format.separator
      }
    }
    yield (first.done ? format.opening : '') + format.closing
  } finally {
    await rest.return()
  }
}

/**
 * The change log as a stream that requests a step only when the previous one has been consumed.
 *
 * @throws errors of the first step, so that unavailable storage is still a problem response
 */
export async function openTransfer(format: ExportFormat, steps: Steps, { useGzip }: { readonly useGzip: boolean }) {
  const first = await steps.next()
  const document = Readable.from(documentOf(format, first, steps), { highWaterMark: 1, objectMode: true })
  // An error destroys the compressor without its trailer, and with it the connection, so the client detects it.
  return useGzip ? pipeline(document, createGzip(), () => {}) : document
}
