const longestOrigin = 200
// Unicode spaces, control characters and plus, which separate the parts of a note and of a verifier key.
const forbidden = /[\p{White_Space}\p{Cc}\p{Cf}+]/u

/**
 * Why a text cannot be the origin of logs: it must be a URL without its scheme, such as `log.example.com/herald`.
 *
 * @returns undefined if it can be
 */
export function whyNotAnOrigin(text: string): string | undefined {
  if (text.includes('://')) return 'Must be written without a scheme, as log.example.com/herald'
  if (text === '') return 'Must not be empty'
  if (text.length > longestOrigin) return `Must have at most ${longestOrigin} characters`
  if (forbidden.test(text)) return 'Must not contain spaces, control characters or a plus sign'
  if (text.startsWith('/') || text.endsWith('/')) return 'Must not begin or end with a slash'
  return text.isWellFormed() ? undefined : 'Must be valid Unicode'
}

/** The origin of a subscriber's log, which is also the name of its keys. */
export function keyNameOf(origin: string, subscriberId: string): string {
  return `${origin}/${subscriberId.toLowerCase()}`
}

/** Whether a text can be the name of a key (C2SP signed-note). */
export function isKeyName(text: string): boolean {
  return text !== '' && !forbidden.test(text)
}
