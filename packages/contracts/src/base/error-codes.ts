export type ErrorEntry = { readonly status: number; readonly title: string }

/**
 * Every stable, machine-readable value of `code` in an HTTP response. The problem documents and the OpenAPI responses are
 * derived from this table. Within a major version codes are only added.
 */
export const errorCodes = {
  invalid_json: { status: 400, title: 'Invalid JSON' },
  validation_failed: { status: 400, title: 'Validation failed' },
  invalid_request: { status: 400, title: 'Bad request' },
  invalid_size: { status: 400, title: 'Not a size or range of the log' },
  unauthorized: { status: 401, title: 'Missing or invalid bearer token' },
  missing_scope: { status: 403, title: 'Missing scope' },
  actor_type_mismatch: { status: 403, title: 'Actor type does not match the token' },
  not_found: { status: 404, title: 'Not found' },
  sealing_off: { status: 404, title: 'The change log is not sealed' },
  no_such_checkpoint: { status: 404, title: 'No such checkpoint' },
  leaf_unavailable: { status: 404, title: 'Leaf unavailable' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'Request timeout' },
  request_in_progress: { status: 409, title: 'A request with this idempotency key is in progress' },
  request_erased: { status: 409, title: 'The response to this idempotency key was erased' },
  too_many_mutes: { status: 409, title: 'Too many mutes' },
  not_sealed_yet: { status: 409, title: 'Not sealed yet' },
  cursor_expired: { status: 410, title: 'Cursor expired' },
  body_too_large: { status: 413, title: 'Request body too large' },
  uri_too_long: { status: 414, title: 'URI too long' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  idempotency_key_reused: { status: 422, title: 'Idempotency key reused with a different body' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'Request header fields too large' },
  internal: { status: 500, title: 'Internal server error' },
  storage_unavailable: { status: 503, title: 'Storage unavailable' },
  overloaded: { status: 503, title: 'Too many requests in progress' },
  order_not_ready: { status: 503, title: 'The recorded order is not ready' },
  authentication_unavailable: { status: 503, title: 'Signing keys are unavailable' },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof errorCodes

/** A validation error; `pointer` is a JSON Pointer (RFC 6901) without `#`, empty for the whole document. */
export type ValidationIssue = { readonly pointer: string; readonly detail: string }
