import type { ErrorCode } from '@herald/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { OverBudget } from '../shares/budget.ts'
import { HttpProblem, problem, problemContentType, retryLater, toProblemDocument } from './problem.ts'

// Errors of Fastify that the client caused; its other errors are internal ones.
const frameworkProblems: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_BAD_URL: ['invalid_request', 'The path has a malformed percent-encoding'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'A path segment is too long'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'The content type must be application/json'],
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: ['unsupported_media_type', 'The content type must be application/json'],
  FST_ERR_NOT_FOUND: ['not_found', 'There is no resource at this path'],
}

/** The error handler of an HTTP server: sends every thrown value as a problem document. */
export function createProblemResponses(isStorageUnavailable: (error: unknown) => boolean) {
  function toProblem(thrown: unknown): HttpProblem {
    if (thrown instanceof HttpProblem) return thrown
    if (thrown instanceof OverBudget) {
      const code = thrown.refused === 'share' ? 'rate_limited' : 'overloaded'
      return problem(code, `${thrown.message}; try again later`, { headers: retryLater })
    }
    const known = frameworkProblems[codeOf(thrown)]
    if (known) return problem(...known)
    if (isStorageUnavailable(thrown)) {
      const options = { headers: retryLater, cause: thrown }
      return problem('storage_unavailable', 'The storage is unavailable; try again later', options)
    }
    return problem('internal', 'An unexpected error occurred; it is logged under the request id', { cause: thrown })
  }

  return function respondWithProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const sent = toProblem(thrown)
    if (sent.status >= 500) {
      const level = sent.code === 'internal' ? 'error' : 'warn'
      request.log[level]({ err: sent.cause ?? sent, code: sent.code }, 'Request failed')
    }
    return (
      reply
        .code(sent.status)
        // A failed response may already have set this header; the problem document is not compressed.
        .removeHeader('content-encoding')
        .headers({ 'cache-control': 'no-store', ...sent.headers })
        .type(problemContentType)
        .serializer(JSON.stringify)
        .send(toProblemDocument(sent, request.id))
    )
  }
}

function codeOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return ''
  return typeof thrown.code === 'string' && thrown.code.startsWith('FST_ERR_') ? thrown.code : ''
}
