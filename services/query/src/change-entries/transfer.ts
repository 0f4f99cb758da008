import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { ExportFormat } from './export-formats.ts'

type Steps = AsyncGenerator<readonly Buffer[], void, void>

/** So much goes to the socket at once. */
const pieceBytes = 64 * 1024

/** So many bytes of entries are encoded at once: the text of a whole step would wait beside it for a slow reader. */
const encodedBytes = 256 * 1024

/** The entries of a step, in groups of about {@link encodedBytes}. */
function* groupsOf(entries: readonly Buffer[]): Generator<readonly Buffer[]> {
  let start = 0
  let bytes = 0
  for (const [index, { length }] of entries.entries()) {
    bytes += length
    if (bytes < encodedBytes) continue
    yield entries.slice(start, index + 1)
    start = index + 1
    bytes = 0
  }
  if (start < entries.length) yield entries.slice(start)
}

/** The whole document, a piece at a time. When a step fails it throws, and the closing never goes out. */
async function* documentOf(format: ExportFormat, first: Awaited<ReturnType<Steps['next']>>, rest: Steps) {
  try {
    let before = format.opening
    for (let step = first; !step.done; step = await rest.next()) {
      for (const entries of groupsOf(step.value)) {
        if (before !== '') yield before
        const bytes = format.encode(entries)
        for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes)
        before = format.separator
      }
    }
    yield (first.done ? format.opening : '') + format.closing
  } finally {
    await rest.return()
  }
}

/**
 * The change log as a stream that asks for a step only when the one before has been taken.
 *
 * @throws what the first step throws: storage that is unavailable is still an answer of its own then, not a broken transfer
 */
export async function openTransfer(format: ExportFormat, steps: Steps, { isZipped }: { readonly isZipped: boolean }) {
  const first = await steps.next()
  const document = Readable.from(documentOf(format, first, steps), { highWaterMark: 1, objectMode: true })
  // A failure destroys the compressor without its trailer, and with it the connection: broken, and seen to be.
  return isZipped ? pipeline(document, createGzip(), () => {}) : document
}
