const integer = { type: 'integer', minimum: 0 }

/** Response headers, by their names under `components`. */
export const componentHeaders = {
  RequestId: {
    description:
      'The `X-Request-Id` of the request if it consists of 1 to 128 characters `A-Z a-z 0-9 . _ -`, otherwise a new UUID',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  RateLimitLimit: { description: 'Requests per minute and user', schema: integer },
  RateLimitRemaining: { description: 'Requests left in the current window', schema: integer },
  RateLimitReset: { description: 'Seconds until the current window ends', schema: integer },
  RetryAfter: { description: 'Seconds to wait before retrying', schema: integer },
  ETag: { description: 'A hash of the body, for `If-None-Match`', schema: { type: 'string' } },
  Allow: { description: 'The methods that the path supports', schema: { type: 'string' } },
  Challenge: { description: 'The challenge (RFC 6750)', schema: { type: 'string' } },
} as const

type HeaderName = keyof typeof componentHeaders

const fieldNames: Partial<Record<HeaderName, string>> = {
  RequestId: 'X-Request-Id',
  RateLimitLimit: 'RateLimit-Limit',
  RateLimitRemaining: 'RateLimit-Remaining',
  RateLimitReset: 'RateLimit-Reset',
  RetryAfter: 'Retry-After',
  Challenge: 'WWW-Authenticate',
}

const rateLimitHeaders: readonly HeaderName[] = ['RateLimitLimit', 'RateLimitRemaining', 'RateLimitReset']

function headerReferences(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    names.map((name) => [fieldNames[name] ?? name, { $ref: `#/components/headers/${name}` }] as const),
  )
}

/** The headers of a response besides its content type. */
export function headersOfStatus(status: number, { rateLimited, etag }: { rateLimited: boolean; etag: boolean }) {
  return headerReferences([
    'RequestId',
    // These are sent before the rate limit, which needs the verified user.
    ...(rateLimited && ![401, 405, 408, 414, 431].includes(status) ? rateLimitHeaders : []),
    ...(etag && (status === 200 || status === 304) ? (['ETag'] as const) : []),
    ...([409, 429, 503].includes(status) ? (['RetryAfter'] as const) : []),
    ...(status === 405 ? (['Allow'] as const) : []),
    ...(status === 401 || status === 403 ? (['Challenge'] as const) : []),
  ])
}
