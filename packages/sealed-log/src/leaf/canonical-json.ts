import { configure } from 'safe-stable-stringify'

// Without `strict`, a number out of range would become null.
const stringify = configure({ strict: true })

/**
 * The canonical form of a JSON value (JCS, RFC 8785): keys sorted by UTF-16 code units, no spaces. Numbers are doubles:
 * -0 becomes 0.
 *
 * @param value as `JSON.parse` returns it
 * @throws Error if a number is not finite
 */
export function toCanonicalJson(value: unknown): string {
  return stringify(value) as string
}
