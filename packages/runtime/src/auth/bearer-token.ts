export type ReadBearerToken =
  | { readonly ok: true; readonly token: string }
  | { readonly ok: false; readonly reason: 'absent' | 'invalid'; readonly detail: string }

/** Reads the token of `Authorization: Bearer …` (RFC 6750, 2.1): one header, one token, the scheme in any case. */
export function readBearerToken(authorization: readonly string[]): ReadBearerToken {
  const [value, second] = authorization
  if (value === undefined) return { ok: false, reason: 'absent', detail: 'The request has no Authorization header' }
  if (second !== undefined) {
    return { ok: false, reason: 'invalid', detail: 'The request has more than one Authorization header' }
  }
  if (!/^bearer( |$)/i.test(value)) {
    return { ok: false, reason: 'absent', detail: 'The Authorization header does not use the Bearer scheme' }
  }
  const token = /^bearer +([\w.~+/-]+=*) *$/i.exec(value)?.[1]
  if (token === undefined) return { ok: false, reason: 'invalid', detail: 'The Authorization header is malformed' }
  return { ok: true, token }
}

/** All values of a header, unmodified. In `headers`, Node.js keeps only the first `Authorization`. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const given = rawHeaders[i] as string
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[i + 1] as string)
  }
  return values
}
