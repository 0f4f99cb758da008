import { type ErrorCode, errorCodes, type ValidationIssue } from '@herald/contracts'

type ProblemOptions = {
  readonly errors?: readonly ValidationIssue[]
  /** Headers of the response, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Logged if the status is 5xx, never sent. */
  readonly cause?: unknown
}

export const problemContentType = 'application/problem+json; charset=utf-8'

/** Headers of a 503: seconds to wait before retrying. */
export const retryLater = { 'retry-after': '5' } as const

/** Thrown by a route or a hook, it is sent as a problem document. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem'
  readonly code: ErrorCode
  readonly status: number
  readonly errors: readonly ValidationIssue[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, detail: string, { errors, headers = {}, cause }: ProblemOptions = {}) {
    super(detail, { cause })
    this.code = code
    this.status = errorCodes[code].status
    this.errors = errors
    this.headers = headers
  }
}

/** Creates a problem to throw: `throw problem('not_found', 'No notification has this id')`. The detail is sent. */
export function problem(code: ErrorCode, detail: string, options?: ProblemOptions): HttpProblem {
  return new HttpProblem(code, detail, options)
}

/** The problem of a request that does not match its schema, or a rule that no schema has. Some of many errors are sent. */
export function invalidRequest(errors: readonly ValidationIssue[], count = errors.length): HttpProblem {
  const detail = `The request has ${count === 1 ? '1 validation error' : `${count} validation errors`}`
  return problem('validation_failed', detail, { errors })
}

/** The document sent for a problem (RFC 9457). Its `type` is a stable URI that cannot be fetched. */
export function toProblemDocument({ code, message, errors }: HttpProblem, requestId: string) {
  const { status, title } = errorCodes[code]
  const document = { type: `urn:herald:problem:${code}`, title, status, detail: message, instance: requestId, code }
  return errors === undefined ? document : { ...document, errors }
}
