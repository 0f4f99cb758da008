/*
 * Writes UTF-8 directly from the bytes that MongoDB stores, without intermediate strings and objects: this takes at
 * most half the time and leaves no garbage. All writers share one buffer; writing is synchronous.
 */

const initialCapacity = 1 << 16
const maxKeptCapacity = 1 << 20

/** The shared buffer, and the number of bytes written to it. Only writers of values use it. */
export const output = { bytes: Buffer.allocUnsafe(initialCapacity), length: 0 }

function ensureCapacity(size: number): void {
  if (output.length + size <= output.bytes.length) return
  const larger = Buffer.allocUnsafe(Math.max(output.length + size, 2 * output.bytes.length))
  output.bytes.copy(larger, 0, 0, output.length)
  output.bytes = larger
}

/** Encodes constant text. */
export const encode = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

// A loop, because the parts are too short for a native call to pay off.
export function writeBytes(bytes: Uint8Array): void {
  const to = output.bytes
  const start = output.length
  for (let i = 0; i < bytes.length; i++) to[start + i] = bytes[i] as number
  output.length = start + bytes.length
}

/** Text around and between documents; at most 1 KiB each. */
export type Surroundings = {
  readonly opening?: Uint8Array
  readonly between?: Uint8Array
  readonly closing?: Uint8Array
}

const nothing = encode('')
/** Exceeds the size of all values of a document that are not text, and of its surroundings. */
const fixedBytes = 2_048
/** The maximum size of an escaped byte: `\u001f`. */
const maxEscapedBytes = 6

/** Returns documents as `write` writes them. Each must be written in 1 KiB and six times its size. */
export function encodeDocuments(
  documents: readonly Buffer[],
  write: (document: Buffer) => void,
  { opening = nothing, between = nothing, closing = nothing }: Surroundings = {},
): Buffer {
  output.length = 0
  writeBytes(opening)
  for (let i = 0; i < documents.length; i++) {
    const document = documents[i] as Buffer
    ensureCapacity(fixedBytes + maxEscapedBytes * document.length)
    if (i > 0) writeBytes(between)
    write(document)
  }
  ensureCapacity(fixedBytes)
  writeBytes(closing)
  const written = Buffer.from(output.bytes.subarray(0, output.length))
  // Releases the buffer after an unusually large response.
  if (output.bytes.length > maxKeptCapacity) output.bytes = Buffer.allocUnsafe(initialCapacity)
  return written
}
