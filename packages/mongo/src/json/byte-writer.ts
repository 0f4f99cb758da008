/*
 * Writes UTF-8 directly from the bytes that MongoDB stores, without intermediate strings and objects: this takes at
 * most a quarter of the time and leaves no garbage. All writers share one buffer; writing is synchronous.
 */
import { type Input, inputOf } from './bson.ts'

const initialCapacity = 1 << 16
const maxKeptCapacity = 1 << 20

const allocate = (capacity: number) => {
  const bytes = Buffer.allocUnsafeSlow(capacity)
  return { bytes, view: new DataView(bytes.buffer) }
}

/** The shared buffer, a view of it, and the number of bytes written to it. Only writers of values use it. */
export const output = { ...allocate(initialCapacity), length: 0 }

function ensureCapacity(size: number): void {
  if (output.length + size <= output.bytes.length) return
  const larger = allocate(Math.max(output.length + size, 2 * output.bytes.length))
  output.bytes.copy(larger.bytes, 0, 0, output.length)
  Object.assign(output, larger)
}

/** Constant text in words of four bytes, the last one filled up: too short for a native call to pay off. */
export type Words = { readonly words: Int32Array; readonly length: number }

export function toWords(text: string): Words {
  const length = Buffer.byteLength(text)
  const bytes = Buffer.alloc(Math.ceil(length / 4) * 4)
  bytes.write(text)
  return { words: Int32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readInt32LE(4 * i)), length }
}

/** The next text overwrites the bytes that fill up the last word. */
export function writeWords({ words, length }: Words): void {
  const to = output.view
  const start = output.length
  for (let i = 0; i < words.length; i++) to.setInt32(start + 4 * i, words[i] as number, true)
  output.length = start + length
}

export type WriteDocument = (input: Input, at: number) => void

/** Text around and between documents; at most 1 KiB each. */
export type Surroundings = {
  readonly opening?: Words | undefined
  readonly between?: Words | undefined
  readonly closing?: Words | undefined
}

const nothing = toWords('')
/** Exceeds the size of all values of a document that are not text, and of its surroundings. */
const fixedBytes = 2_048
/** The maximum size of an escaped byte: `\u001f`. */
const maxEscapedBytes = 6

/** Returns documents as `write` writes them. Each must be written in 1 KiB and six times its size. */
export function encodeDocuments(
  documents: readonly Buffer[],
  write: WriteDocument,
  { opening = nothing, between = nothing, closing = nothing }: Surroundings = {},
): Buffer {
  output.length = 0
  writeWords(opening)
  let input: Input | undefined
  for (let i = 0; i < documents.length; i++) {
    const document = documents[i] as Buffer
    ensureCapacity(fixedBytes + maxEscapedBytes * document.length)
    if (i > 0) writeWords(between)
    // Documents of one response share its buffer.
    if (document.buffer !== input?.view.buffer) input = inputOf(document)
    write(input, document.byteOffset)
  }
  ensureCapacity(fixedBytes)
  writeWords(closing)
  const written = Buffer.from(output.bytes.subarray(0, output.length))
  // Releases the buffer after an unusually large response.
  if (output.bytes.length > maxKeptCapacity) Object.assign(output, allocate(initialCapacity))
  return written
}

/** Documents as bytes; `next` is the cursor of the next page, `null` on the last page. */
export type Page = {
  readonly documents: readonly Buffer[]
  readonly next: string | null
  /** Numbers that are in the body, too. */
  readonly others?: Readonly<Record<string, number | boolean>>
}

/** Creates a function that returns the body of a response with a page, under the given name. */
export function createPageEncoder(name: string, write: WriteDocument): (page: Page) => Buffer {
  const surroundings = { opening: toWords(`{"data":{"${name}":[`), between: toWords(',') } as const
  return ({ documents, next, others }) => {
    const closing = toWords(`],${JSON.stringify({ nextCursor: next, ...others }).slice(1)}}`)
    return encodeDocuments(documents, write, { ...surroundings, closing })
  }
}
