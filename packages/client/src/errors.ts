import type { Problem } from './contract-types.ts'

/** All error codes of Herald. */
export type ErrorCode = Problem['code']

/** One validation error of a request; `pointer` is a JSON Pointer (RFC 6901), empty for the whole input. */
export type ValidationIssue = NonNullable<Problem['errors']>[number]

/** The members of a problem document (RFC 9457), and details from the response headers. */
export type ProblemDetails = {
  readonly status: number
  /** `unknown` if the response is not from Herald but, for example, from a proxy. */
  readonly code: ErrorCode | 'unknown'
  readonly title: string
  readonly detail: string
  /** All validation errors of the request; empty unless the code is `validation_failed`. */
  readonly errors: readonly ValidationIssue[]
  /** Identifies the request in Herald's logs. */
  readonly requestId: string | undefined
  /** Milliseconds to wait before retrying, if the server sent `Retry-After`. */
  readonly retryAfterMs: number | undefined
}

/** Herald rejected the request or failed to serve it. */
export class HeraldProblem extends Error {
  override readonly name = 'HeraldProblem'
  readonly status: number
  readonly code: ErrorCode | 'unknown'
  readonly title: string
  readonly detail: string
  readonly errors: readonly ValidationIssue[]
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined

  constructor(problem: ProblemDetails) {
    super(`${problem.status} ${problem.code}: ${problem.detail || problem.title}`)
    this.status = problem.status
    this.code = problem.code
    this.title = problem.title
    this.detail = problem.detail
    this.errors = problem.errors
    this.requestId = problem.requestId
    this.retryAfterMs = problem.retryAfterMs
  }
}

/** No complete response: connection refused, broken or timed out. See `cause`. */
export class HeraldConnectionError extends Error {
  override readonly name = 'HeraldConnectionError'
}

/** There is no token, because the user is signed out; nothing was sent. */
export class HeraldSignedOut extends Error {
  override readonly name = 'HeraldSignedOut'

  constructor() {
    super('There is no token: the user is signed out')
  }
}

/** Whether `error` is a `HeraldProblem`, with the given code if there is one. */
export function isHeraldProblem(error: unknown, code?: HeraldProblem['code']): error is HeraldProblem {
  return error instanceof HeraldProblem && (code === undefined || error.code === code)
}
