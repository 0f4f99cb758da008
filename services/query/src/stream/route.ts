import { operations } from '@herald/contracts'
import { type HttpServer, routeOptions } from '@herald/runtime'
import type { Streams } from './streams.ts'

const contentType = 'text/event-stream; charset=utf-8'

const headers = {
  'content-type': contentType,
  // Proxies must not cache, compress or buffer the stream.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  // The connection serves only the stream and ends with it, so a shutdown waits for no idle connection.
  connection: 'close',
} as const

/** Streams changes of the current user’s feed (contract, section 3). */
export function addStreamRoute(app: HttpServer, { streams }: { readonly streams: Streams }): void {
  const options = routeOptions(operations.streamNotifications)
  const config = { ...options.config, endless: true }
  app.get('/notifications/stream', { ...options, config }, async (request, reply) => {
    if (request.method === 'HEAD') return reply.headers({ ...headers }).send()
    const { subscriberId, userId, expiresAt } = request.identity
    const lastEventId = request.headers['last-event-id'] || request.query.lastEventId || undefined
    const owner = { subscriberId, recipientId: userId }
    const admission = await streams.admit(owner, { resumes: lastEventId !== undefined })
    const { raw } = reply
    if (raw.destroyed) {
      admission.leave()
      return reply
    }
    // Written directly from here on, because only then is the number of buffered bytes known.
    reply.hijack()
    raw.writeHead(200, { ...reply.getHeaders(), ...headers } as Record<string, string>)
    // A stream that catches up may wait for its first event.
    raw.flushHeaders()
    admission.enter({ sink: raw, lastEventId, expiresAt })
    return reply
  })
  app.addHook('preClose', () => streams.close())
}
