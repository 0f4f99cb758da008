import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Adds CORS headers for these origins to the gateway's own responses, which it sends when a service is unavailable. The
 * responses of services have their own.
 */
export function createGatewayCors(origins: readonly string[]) {
  const known = new Set(origins)
  const isFromKnown = ({ headers: { origin } }: FastifyRequest) => origin !== undefined && known.has(origin)

  return {
    addHeaders(request: FastifyRequest, reply: FastifyReply): void {
      if (known.size === 0) return
      reply.header('vary', 'Origin')
      if (!isFromKnown(request)) return
      reply.headers({
        'access-control-allow-origin': request.headers.origin,
        'access-control-expose-headers': 'retry-after, x-request-id',
      })
    },

    /** Browsers send the actual request, and expose its response, only after a successful preflight. */
    answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
      const { 'access-control-request-method': method, 'access-control-request-headers': fields } = request.headers
      if (request.method !== 'OPTIONS' || method === undefined || !isFromKnown(request)) return undefined
      return reply
        .code(204)
        .headers({ 'access-control-allow-methods': method, ...(fields && { 'access-control-allow-headers': fields }) })
        .send()
    },
  }
}
