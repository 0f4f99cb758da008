/**
 * The header fields of every answer that tell browsers what not to make of it. Not `Strict-Transport-Security`: only who
 * ends TLS, the gateway, knows about that.
 */
export const securityHeaders = {
  // Answers are data: whatever else a browser takes them for may load nothing and be framed nowhere.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const
