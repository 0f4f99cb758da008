const stringOrKey = /"(?:[^"\\]|\\.)*"(\s*:)?/g

/**
 * Whether an object in the text has a key twice. `JSON.parse` takes the last one, and other readers the first: they would see
 * content that nobody has verified.
 *
 * @param value what `JSON.parse` returns for the text
 */
export function hasRepeatedKeys(text: string, value: unknown): boolean {
  let keys = 0
  for (const [, colon] of text.matchAll(stringOrKey)) if (colon !== undefined) keys++
  return keys !== countKeys(value)
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countKeys(item), 0)
  const members = Object.values(value)
  return members.reduce((sum: number, member) => sum + countKeys(member), members.length)
}
