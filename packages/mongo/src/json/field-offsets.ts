import { type Input, sizeOf } from './bson.ts'

type Header = { readonly type: number; readonly slot: number; readonly bytes: Uint8Array; readonly words: Int32Array }

/**
 * Creates a function that returns the offsets of the values of these fields in the document at `at`, 0 for an absent
 * one. Its result is valid until the next call.
 * Documents of one release have the same fields in the same order, so each header is compared with that of the previous
 * document, four bytes at a time; only a different one is read and looked up.
 */
export function createOffsetReader(fields: readonly string[]): (input: Input, at: number) => readonly number[] {
  const slots = new Map(fields.map((field, slot) => [field, slot]))
  const offsets = new Array<number>(fields.length).fill(0)
  const headers: Header[] = []

  function readHeader({ bytes }: Input, at: number): Header {
    const end = bytes.indexOf(0, at + 1)
    const header = Uint8Array.from(bytes.subarray(at, end + 1))
    const words = Int32Array.from({ length: header.length >> 2 }, (_, i) => bytes.readInt32LE(at + 4 * i))
    const slot = slots.get(bytes.toString('latin1', at + 1, end)) ?? -1
    return { type: header[0] as number, slot, bytes: header, words }
  }

  return (input, start) => {
    const { bytes, view } = input
    offsets.fill(0)
    let at = start + 4
    for (let i = 0; view.getUint8(at) !== 0; i++) {
      let header = headers[i]
      if (header === undefined || !hasHeader(view, at, header)) {
        header = readHeader(input, at)
        headers[i] = header
      }
      at += header.bytes.length
      if (header.slot >= 0) offsets[header.slot] = at
      at += sizeOf(header.type, bytes, at)
    }
    return offsets
  }
}

function hasHeader(view: DataView, at: number, { bytes, words }: Header): boolean {
  // A shorter name may be at the end of the buffer.
  if (at + bytes.length > view.byteLength) return false
  for (let i = 0; i < words.length; i++) if (view.getInt32(at + 4 * i, true) !== words[i]) return false
  for (let i = 4 * words.length; i < bytes.length; i++) if (view.getUint8(at + i) !== bytes[i]) return false
  return true
}
