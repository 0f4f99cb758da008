/** Claims that say who the user is, and of which subscriber, also under the names that an operator may choose. */
const identifying = /^(sub|oid|tid)$|subscriber|tenant|org|user|account|customer|workspace/i

/** Text that is the same for all tokens of a user of a subscriber; not verified, and empty for a token that is no JWT. */
export function userOfToken(token: string): string {
  try {
    const payload = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''
    const claims = Object.entries(JSON.parse(atob(payload)))
    return JSON.stringify(claims.filter(([name]) => identifying.test(name)).sort())
  } catch {
    return ''
  }
}
