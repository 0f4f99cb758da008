const integer = { type: 'integer', minimum: 0 }

export const componentHeaders = {
  'X-Request-Id': {
    description:
      'The `X-Request-Id` of the request if it consists of 1 to 128 characters `A-Z a-z 0-9 . _ -`, otherwise a new UUID',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  'RateLimit-Limit': { description: 'Requests per minute and user', schema: integer },
  'RateLimit-Remaining': { description: 'Requests left in the current window', schema: integer },
  'RateLimit-Reset': { description: 'Seconds until the current window ends', schema: integer },
  'Retry-After': { description: 'Seconds to wait before retrying', schema: integer },
  ETag: { description: 'A hash of the body, for `If-None-Match`', schema: { type: 'string' } },
  Allow: { description: 'The methods that the path supports', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'The challenge (RFC 6750)', schema: { type: 'string' } },
} as const

type HeaderName = keyof typeof componentHeaders

export function headersOfStatus(status: number, { rateLimited, etag }: { rateLimited: boolean; etag: boolean }) {
  const names: HeaderName[] = ['X-Request-Id']
  // These are sent before the rate limit, which needs the verified user.
  const isBeforeLimit = [401, 405, 408, 414, 431].includes(status)
  if (rateLimited && !isBeforeLimit) names.push('RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset')
  if (etag && (status === 200 || status === 304)) names.push('ETag')
  if ([409, 429, 503].includes(status)) names.push('Retry-After')
  if (status === 405) names.push('Allow')
  if (status === 401 || status === 403) names.push('WWW-Authenticate')
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
