import type { Input } from './bson.ts'
import { output, toWords, writeWords } from './byte-writer.ts'
import { endOfText, writeTimestamp } from './values.ts'

const quote = 0x22
const nullWords = toWords('null')

/** The escape sequence of each byte that needs one, as `JSON.stringify` writes it. */
const escapes = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  const escaped = JSON.stringify(character).slice(1, -1)
  return escaped === character ? undefined : Buffer.from(escaped)
})

/** Writes a text as a JSON string, four bytes at a time where nothing is to be escaped. */
export function writeJsonText(input: Input, at: number): void {
  const from = input.view
  const end = endOfText(input.bytes, at)
  const to = output.view
  let next = output.length
  let i = at
  to.setUint8(next++, quote)
  for (; i < end - 3; i += 4) {
    const word = from.getInt32(i, true)
    if (hasEscaped(word)) next = writeEscaped(from, i, i + 4, next)
    else {
      to.setInt32(next, word, true)
      next += 4
    }
  }
  next = writeEscaped(from, i, end, next)
  to.setUint8(next++, quote)
  output.length = next
}

/** Whether one of four bytes is below 0x20, a quote or a backslash. */
function hasEscaped(word: number): boolean {
  const quotes = word ^ 0x22222222
  const backslashes = word ^ 0x5c5c5c5c
  const control = (word - 0x20202020) & ~word
  return (
    ((control | ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes)) & 0x80808080) !== 0
  )
}

function writeEscaped(from: DataView, at: number, end: number, start: number): number {
  const to = output.view
  let next = start
  for (let i = at; i < end; i++) {
    const byte = from.getUint8(i)
    const sequence = escapes[byte]
    if (sequence === undefined) to.setUint8(next++, byte)
    else for (let j = 0; j < sequence.length; j++) to.setUint8(next++, sequence[j] as number)
  }
  return next
}

export function writeJsonTime(input: Input, at: number): void {
  if (at === 0) {
    writeWords(nullWords)
    return
  }
  output.view.setUint8(output.length++, quote)
  writeTimestamp(input, at)
  output.view.setUint8(output.length++, quote)
}
