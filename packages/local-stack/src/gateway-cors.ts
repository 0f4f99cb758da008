import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Lets the pages of these origins see what the gateway itself answers when a service can't. What a service answers has its own
 * header fields.
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

    /** A browser sends the request proper, and sees what became of it, only when this succeeded. */
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
