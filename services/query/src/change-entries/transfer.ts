import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { ExportFormat, Part } from './export-formats.ts'

type Steps = AsyncGenerator<Part, void, void>
type Framing = Pick<ExportFormat, 'opening' | 'separator' | 'closing'>

/** The whole document, a step of entries at a time. When a step fails it throws, and the closing never goes out. */
async function* documentOf(format: Framing, first: Awaited<ReturnType<Steps['next']>>, rest: Steps) {
  try {
    let before = format.opening
    for (let step = first; !step.done; step = await rest.next()) {
      if (before !== '') yield before
      yield step.value
      before = format.separator
    }
    yield (first.done ? format.opening : '') + format.closing
  } finally {
    await rest.return()
  }
}

/**
 * The change log as a stream that asks for a step only when the one before has been taken.
 *
 * @throws what the first step throws: a storage that is away is still an answer of its own then, not a broken transfer
 */
export async function openTransfer(format: Framing, steps: Steps, isZipped: boolean): Promise<Readable> {
  const first = await steps.next()
  const document = Readable.from(documentOf(format, first, steps), { highWaterMark: 1, objectMode: true })
  // A failure destroys the compressor without its trailer, and with it the connection: broken, and seen to be.
  return isZipped ? pipeline(document, createGzip(), () => {}) : document
}
