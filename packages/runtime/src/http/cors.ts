import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AllowedMethods } from './allowed-methods.ts'
import { addVary } from './headers.ts'

/** For a preflight that asks for no headers. */
const knownHeaders = 'authorization, content-type, idempotency-key, if-none-match, last-event-id, x-request-id'
const exposedHeaders = 'etag, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-request-id'

// Seconds for which browsers cache a preflight; some cap it at two hours.
const preflightSeconds = '7200'

export type CorsOptions = {
  /** Allowed origins, as browsers send them. If empty, no CORS headers are sent. */
  readonly origins: readonly string[]
  readonly allowed: Pick<AllowedMethods, 'at'>
}

/** Allows pages of some origins to call (CORS protocol of the Fetch standard), without credentials. */
export function createCors({ origins, allowed }: CorsOptions) {
  const known = new Set(origins)
  const isAllowed = ({ headers: { origin } }: FastifyRequest) => origin !== undefined && known.has(origin)

  return {
    /** For every response: `Vary` is also needed where the origin is not allowed, so that caches keep them apart. */
    addHeaders(request: FastifyRequest, reply: FastifyReply): void {
      if (known.size === 0) return
      addVary(reply, 'Origin')
      if (!isAllowed(request)) return
      reply.headers({
        'access-control-allow-origin': request.headers.origin,
        'access-control-expose-headers': exposedHeaders,
      })
    },

    /** Responds to a preflight, which is sent without a token and to any path. */
    respondToPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
      const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers
      if (!isPreflight || !isAllowed(request)) return undefined
      // Monitoring adds headers of its own to every request, and a header is no permission.
      const requested = request.headers['access-control-request-headers'] || knownHeaders
      const methods = [...allowed.at(request.url)].sort().join(', ')
      return reply
        .code(204)
        .headers({
          'access-control-allow-methods': methods || 'DELETE, GET, HEAD, PATCH, POST, PUT',
          'access-control-allow-headers': requested,
          'access-control-max-age': preflightSeconds,
        })
        .send()
    },
  }
}
