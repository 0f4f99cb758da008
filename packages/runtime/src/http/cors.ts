import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AllowedMethods } from './allowed-methods.ts'
import { addVary } from './vary.ts'

const requestFields = 'authorization, content-type, idempotency-key, if-none-match, last-event-id, x-request-id'
const answerFields = 'etag, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-request-id'

// Seconds for which a browser need not ask again; some take no more than two hours.
const preflightSeconds = '7200'

export type CorsOptions = {
  /** Origins whose pages may call, as browsers send them. With none there is not one header field of all this. */
  readonly origins: readonly string[]
  readonly allowed: Pick<AllowedMethods, 'at'>
}

/**
 * Lets the pages of some origins call (CORS protocol of the Fetch standard). Without credentials, for a token comes in
 * `Authorization`: there is no cookie that another page could make use of.
 */
export function createCors({ origins, allowed }: CorsOptions) {
  const known = new Set(origins)
  const isFromKnown = ({ headers: { origin } }: FastifyRequest) => origin !== undefined && known.has(origin)

  return {
    /** On every answer, also one that depends on the origin by not allowing it: caches keep them apart. */
    addHeaders(request: FastifyRequest, reply: FastifyReply): void {
      if (known.size === 0) return
      addVary(reply, 'Origin')
      if (!isFromKnown(request)) return
      reply.headers({
        'access-control-allow-origin': request.headers.origin,
        'access-control-expose-headers': answerFields,
      })
    },

    /** Answers what a browser asks before the request proper: it comes without a token, to any path. */
    answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
      const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers
      if (!isPreflight || !isFromKnown(request)) return undefined
      const methods = [...allowed.at(request.url)].sort().join(', ')
      return reply
        .code(204)
        .headers({
          'access-control-allow-methods': methods || 'GET, HEAD, PATCH, POST',
          'access-control-allow-headers': requestFields,
          'access-control-max-age': preflightSeconds,
        })
        .send()
    },
  }
}
