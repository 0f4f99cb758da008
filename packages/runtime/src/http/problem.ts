import { type ErrorCode, errorCodes, type ValidationIssue } from '@herald/contracts'

export type ProblemOptions = {
  /** All validation errors of the request. */
  readonly errors?: readonly ValidationIssue[]
  /** Headers of the response, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Logged if the status is 5xx, never sent. */
  readonly cause?: unknown
}

/** A problem document (RFC 9457); `instance` is the id of the request. */
export type ProblemDocument = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  readonly code: ErrorCode
  readonly errors?: readonly ValidationIssue[]
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

/** The `type` of a code: a stable URI that cannot be fetched. */
function problemType(code: ErrorCode): string {
  return `urn:herald:problem:${code}`
}

/** The document sent for a problem. */
export function toProblemDocument({ code, message, errors }: HttpProblem, requestId: string): ProblemDocument {
  const { status, title } = errorCodes[code]
  const document = { type: problemType(code), title, status, detail: message, instance: requestId, code }
  return errors === undefined ? document : { ...document, errors }
}
