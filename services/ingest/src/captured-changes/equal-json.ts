import type { JsonValue } from '@herald/contracts'

/** Whether two JSON values are equal; the order of keys makes no difference. */
export function isEqualJson(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((item, index) => isEqualJson(item, b[index] as JsonValue))
  }
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isEqualJson(a[key] as JsonValue, b[key] as JsonValue))
}
