import type { Problem } from './contract-types.ts'

/** Every code that Herald answers with. */
export type ErrorCode = Problem['code']

/** One fault of a request; `pointer` is a JSON Pointer (RFC 6901), empty for the whole. */
export type InputFault = NonNullable<Problem['errors']>[number]

/** What a problem document (RFC 9457) says, and what its answer said beside it. */
export type ProblemDetails = {
  readonly status: number
  /** `unknown` where something before Herald answered, such as a proxy. */
  readonly code: ErrorCode | 'unknown'
  readonly title: string
  readonly detail: string
  /** The faults of the request, all at once; empty unless the code is `validation_failed`. */
  readonly errors: readonly InputFault[]
  /** What the operator finds in the logs. */
  readonly requestId: string | undefined
  /** After how many milliseconds the server wants to be asked again. */
  readonly retryAfterMs: number | undefined
}

/** Herald has refused the request, or could not serve it. */
export class HeraldProblem extends Error {
  override readonly name = 'HeraldProblem'
  readonly status: number
  readonly code: ErrorCode | 'unknown'
  readonly title: string
  readonly detail: string
  readonly errors: readonly InputFault[]
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

/** No whole answer came: no connection, one that broke, or none in time. `cause` has more. */
export class HeraldConnectionError extends Error {
  override readonly name = 'HeraldConnectionError'
}

/** Whether `error` is a problem document of Herald's, and has that code where one is named. */
export function isHeraldProblem(error: unknown, code?: HeraldProblem['code']): error is HeraldProblem {
  return error instanceof HeraldProblem && (code === undefined || error.code === code)
}
