import type { JsonValue } from '@herald/contracts'
import { stringify } from 'safe-stable-stringify'

/** The canonical form of a JSON value (JCS, RFC 8785): keys sorted by UTF-16 code units, no spaces. */
export function toCanonicalJson(value: JsonValue): string {
  return stringify(value) as string
}
