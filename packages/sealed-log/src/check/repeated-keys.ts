const backslash = 0x5c
const colon = 0x3a
/** Space and the control characters that JSON allows between tokens. */
const lastSpace = 0x20

/**
 * Whether an object in the text has a key twice. `JSON.parse` takes the last one, and other readers the first: they would see
 * content that nobody has verified. Without recursion and regular expressions, which long or deep values would exhaust.
 *
 * @param value what `JSON.parse` returns for the text
 */
export function hasRepeatedKeys(text: string, value: unknown): boolean {
  return countKeysInText(text) !== countKeys(value)
}

/** Only strings that are keys are followed by a colon. */
function countKeysInText(text: string): number {
  let keys = 0
  for (let open = text.indexOf('"'); open >= 0; ) {
    let next = endOfString(text, open) + 1
    while (text.charCodeAt(next) <= lastSpace) next++
    if (text.charCodeAt(next) === colon) keys++
    open = text.indexOf('"', next)
  }
  return keys
}

/** The position of the closing quote. */
function endOfString(text: string, open: number): number {
  for (let quote = text.indexOf('"', open + 1); ; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (text.charCodeAt(quote - 1 - backslashes) === backslash) backslashes++
    if (backslashes % 2 === 0) return quote
  }
}

function countKeys(value: unknown): number {
  let keys = 0
  const left = [value]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (typeof node !== 'object' || node === null) continue
    const members = Object.values(node)
    if (!Array.isArray(node)) keys += members.length
    for (const member of members) if (typeof member === 'object') left.push(member)
  }
  return keys
}
