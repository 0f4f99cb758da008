import type { ErrorCode } from '@herald/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpProblem, problem, problemContentType, retryLater, toProblemDocument } from './problem.ts'

// What Fastify itself refuses. Everything else of its own is a fault of ours, and answers as one.
const frameworkProblems: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_BAD_URL: ['invalid_request', 'The path has a malformed percent-encoding'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'A part of the path is too long'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The body is too large'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_json', 'The body is empty'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_json', 'The body is not valid JSON'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The body is not as long as Content-Length says'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'The content type must be application/json'],
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: ['unsupported_media_type', 'The content type must be application/json'],
  FST_ERR_NOT_FOUND: ['not_found', 'There is no resource at this path'],
}

export type ProblemAnswersDependencies = {
  /** Tells an error that means that the storage cannot be reached from one that means a fault. */
  readonly isStorageUnavailable: (error: unknown) => boolean
}

/** The error handler of an HTTP server: whatever was thrown is answered as a problem document. */
export function createProblemAnswers({ isStorageUnavailable }: ProblemAnswersDependencies) {
  function toProblem(thrown: unknown): HttpProblem {
    if (thrown instanceof HttpProblem) return thrown
    const known = frameworkProblems[codeOf(thrown)]
    if (known) return problem(...known)
    if (isStorageUnavailable(thrown)) {
      const options = { headers: retryLater, cause: thrown }
      return problem('storage_unavailable', 'The storage is unavailable; try again later', options)
    }
    return problem('internal', 'An unexpected error occurred; the log lines carry the request id', { cause: thrown })
  }

  return function answerWithProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const answer = toProblem(thrown)
    if (answer.status >= 500) {
      const level = answer.code === 'internal' ? 'error' : 'warn'
      request.log[level]({ err: answer.cause ?? answer, code: answer.code }, 'A request failed')
    }
    return (
      reply
        .code(answer.status)
        // An answer that failed before its first byte may have been meant to be compressed; this one isn't.
        .removeHeader('content-encoding')
        .headers({ 'cache-control': 'no-store', ...answer.headers })
        .type(problemContentType)
        .serializer(JSON.stringify)
        .send(toProblemDocument(answer, request.id))
    )
  }
}

function codeOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return ''
  return typeof thrown.code === 'string' && thrown.code.startsWith('FST_ERR_') ? thrown.code : ''
}
