/** What a code says to an HTTP client: the status and the title of its problem document (RFC 9457). */
export type ErrorEntry = { readonly status: number; readonly title: string }

/**
 * Every stable, machine-readable code that an HTTP answer of Herald carries in `code`.
 * The problem documents and the OpenAPI responses are made from this table alone; within a major version it only grows.
 */
export const errorCodes = {
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  validation_failed: { status: 400, title: 'The request is not valid' },
  invalid_request: { status: 400, title: 'The request cannot be understood' },
  unauthorized: { status: 401, title: 'A valid bearer token is required' },
  missing_scope: { status: 403, title: 'The token lacks a scope' },
  actor_type_mismatch: { status: 403, title: 'The actor type is not the token’s' },
  not_found: { status: 404, title: 'Nothing is here' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  request_timeout: { status: 408, title: 'The request did not arrive in time' },
  request_in_progress: { status: 409, title: 'A request with this key is in progress' },
  body_too_large: { status: 413, title: 'The body is too large' },
  uri_too_long: { status: 414, title: 'The address is too long' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported' },
  idempotency_key_reused: { status: 422, title: 'The key was used for another body' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The header fields are too large' },
  internal: { status: 500, title: 'Something failed here' },
  storage_unavailable: { status: 503, title: 'The storage does not answer' },
  authentication_unavailable: { status: 503, title: 'The keys for tokens cannot be had' },
} as const satisfies Record<string, ErrorEntry>

/** A code of {@link errorCodes}. */
export type ErrorCode = keyof typeof errorCodes

/** One fault of a request; `pointer` is a JSON Pointer (RFC 6901) without `#`, empty for the whole. */
export type InputFault = { readonly pointer: string; readonly detail: string }
