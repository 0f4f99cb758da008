/**
 * Security headers of every response. `Strict-Transport-Security` is left to the gateway, which terminates TLS.
 */
export const securityHeaders = {
  // Responses are data: should a browser render one, it may load nothing and not be framed.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const
