import type { z } from 'zod'
import type { ErrorCode } from './error-codes.ts'

export type Service = 'ingest' | 'query'

/** A form of a body: the schema that it fits, when it is JSON, and what it may look like. */
export type BodyForm = { readonly schema?: z.ZodType; readonly example?: unknown }

/** An operation behind the base URL: who serves it, what it takes, and everything that it may answer. */
export type Operation = {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Parameters are written `:name`. */
  readonly path: string
  readonly service: Service
  readonly tag: 'Notifications' | 'Change log' | 'Documentation'
  readonly summary: string
  readonly description?: string
  /** Needs no token. */
  readonly public?: true
  /** What the token must have beyond being valid. */
  readonly scope?: string
  /** The answer has an entity tag, and is 304 for who has it already. */
  readonly etag?: true
  readonly params?: z.ZodObject
  readonly querystring?: z.ZodObject
  readonly headers?: z.ZodObject
  readonly body?: z.ZodType
  readonly bodyExamples?: Readonly<Record<string, unknown>>
  readonly success: {
    readonly status: 200 | 201
    readonly description: string
    /** By media type. */
    readonly content: Readonly<Record<string, BodyForm>>
    /** The operations, by their ids, that take something of the answer, as OpenAPI's runtime expressions. */
    readonly links?: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
  /** What it may answer beyond what its parts bring with them. */
  readonly errors?: readonly ErrorCode[]
}

/** Every code that an operation may answer with. */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const codes: ErrorCode[] = ['invalid_request', 'request_timeout', 'headers_too_large', 'internal']
  if (!operation.public) codes.push('validation_failed', 'unauthorized', 'rate_limited')
  if (!operation.public) codes.push('storage_unavailable', 'authentication_unavailable')
  if (operation.scope) codes.push('missing_scope')
  if (operation.params) codes.push('method_not_allowed', 'uri_too_long')
  if (operation.body) codes.push('invalid_json', 'unsupported_media_type')
  if (operation.method !== 'GET') codes.push('body_too_large')
  return [...codes, ...(operation.errors ?? [])]
}
