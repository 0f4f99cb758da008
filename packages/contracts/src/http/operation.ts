import type { z } from 'zod'
import type { ErrorCode } from '../base/error-codes.ts'

type Service = 'ingest' | 'query'

/** A representation of a response body: its schema, if it is JSON of a known form, and an example. */
export type MediaType = { readonly schema?: z.ZodType; readonly example?: unknown }

/** An operation behind the base URL: the service, the request parts and every possible response. */
export type Operation = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters are written `:name`. */
  readonly path: string
  readonly service: Service
  readonly tag: 'Notifications' | 'Mutes' | 'Change log' | 'Documentation'
  readonly summary: string
  readonly description?: string
  readonly public?: true
  readonly scope?: string
  /** Successful responses have an entity tag, and matching conditional requests get 304. */
  readonly etag?: true
  readonly params?: z.ZodObject
  readonly querystring?: z.ZodObject
  readonly headers?: z.ZodObject
  readonly body?: z.ZodType
  /** Maximum size of the body, `limits.smallBodyBytes` if unset. */
  readonly bodyBytes?: number
  readonly bodyExamples?: Readonly<Record<string, unknown>>
  readonly success: {
    readonly status: 200 | 201 | 204
    readonly description: string
    readonly content: Readonly<Record<string, MediaType>>
  }
  /** Error codes beyond those that follow from the parts of the operation. */
  readonly errors?: readonly ErrorCode[]
}

export function errorCodesOf(operation: Operation): ErrorCode[] {
  const codes: ErrorCode[] = ['invalid_request', 'request_timeout', 'headers_too_large', 'internal']
  if (!operation.public) codes.push('validation_failed', 'unauthorized', 'rate_limited')
  if (!operation.public) codes.push('storage_unavailable', 'overloaded', 'authentication_unavailable')
  if (operation.scope) codes.push('missing_scope')
  if (operation.params) codes.push('method_not_allowed', 'uri_too_long')
  if (operation.body) codes.push('invalid_json', 'unsupported_media_type')
  if (operation.method !== 'GET') codes.push('body_too_large')
  return [...codes, ...(operation.errors ?? [])]
}
