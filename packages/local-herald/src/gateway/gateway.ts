import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import replyFrom from '@fastify/reply-from'
import { operations } from '@herald/contracts'
import { createAllowedMethods, createClientErrorHandler, createCors, problemContentType } from '@herald/runtime'
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { gatewayProblem } from './gateway-problem.ts'
import { readRequestBody } from './request-body.ts'

export type GatewayOptions = {
  ingestUrl: string
  queryUrl: string
  host?: string
  /** 0 (default) for a free port. */
  port?: number
  /** Milliseconds until a service must have sent the response headers. */
  respondWithinMs?: number
  /** Allowed CORS origins, as in the services' settings. */
  corsOrigins?: readonly string[]
  /** Handlers for a path, such as `/demo`, and everything below it, instead of the services. */
  mounts?: Readonly<Record<string, RequestListener>>
}

export type StartedGateway = {
  url: string
  stop(): Promise<void>
}

/**
 * Serves both services at one address: `POST /` and `DELETE /notifications/{id}` go to ingest, everything else to query. Bodies and headers are
 * forwarded unchanged, streams unbuffered, and an aborted response is aborted here as well.
 */
export async function startGateway(options: GatewayOptions): Promise<StartedGateway> {
  const { ingestUrl, queryUrl, host = '127.0.0.1', port = 0, respondWithinMs = 60_000, mounts = {} } = options
  // For its own responses, which it sends when a service is unavailable; those of the services have CORS headers.
  const allowed = createAllowedMethods(Object.values(operations))
  const cors = createCors({ origins: options.corsOrigins ?? [], allowed })
  const app = fastify({
    forceCloseConnections: true,
    requestIdHeader: 'x-request-id',
    genReqId: () => randomUUID(),
    frameworkErrors: (error, request, reply) => sendProblem(error, request, reply as FastifyReply),
    clientErrorHandler: createClientErrorHandler({ debug() {} }),
  })
  // Unlimited connections, because each event stream keeps one; no body timeout, because a stream may pause.
  const undici = { connections: null, headersTimeout: respondWithinMs, bodyTimeout: 0 }
  await app.register(replyFrom, { undici, destroyAgent: true })
  app.setErrorHandler(sendProblem)

  // A hook, because it runs for every path and method and before the body is read. It never calls `done`, because nothing
  // must follow; an async hook would continue when a response is aborted.
  app.addHook('onRequest', (request, reply, _done) => {
    const mounted = Object.entries(mounts).find(([path]) => `${pathOf(request)}/`.startsWith(`${path}/`))
    if (mounted) {
      reply.hijack()
      mounted[1](request.raw, reply.raw)
      return
    }
    pass(request, reply).catch((error) => sendProblem(error, request, reply))
  })

  function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    cors.addHeaders(request, reply)
    const preflight = cors.respondToPreflight(request, reply)
    if (preflight) return preflight
    const problem = gatewayProblem(error, request.id)
    return reply.code(problem.status).type(problemContentType).send(JSON.stringify(problem))
  }

  async function pass(request: FastifyRequest, reply: FastifyReply) {
    const upstream = isForIngest(request) ? ingestUrl : queryUrl
    const body = await readRequestBody(request.raw)
    reply.from(undefined, {
      // With a content type the plugin does not encode the body; the client's own is restored below.
      ...(body ? { body, contentType: 'application/octet-stream' } : {}),
      getUpstream: () => upstream,
      rewriteRequestHeaders: (_request, headers) => passedHeaders(request.headers, headers, body),
      // The plugin would retry a 503 up to ten times.
      retryDelay: () => null,
      onError: (failed, { error }) => sendProblem(error, request, failed as FastifyReply),
    })
  }

  await app.listen({ host, port })
  const address = app.server.address() as AddressInfo
  return { url: `http://${host}:${address.port}`, stop: () => app.close() }
}

function isForIngest(request: Pick<FastifyRequest, 'method' | 'url'>): boolean {
  if (request.method === 'POST') return pathOf(request) === '/'
  return request.method === 'DELETE' && pathOf(request)?.startsWith('/notifications/') === true
}

function pathOf({ url }: Pick<FastifyRequest, 'url'>) {
  return url.split('?', 1)[0]
}

function passedHeaders(original: IncomingHttpHeaders, headers: IncomingHttpHeaders, body: Buffer | undefined) {
  // `expect` was handled here, and the plugin has replaced the client's content type and host.
  const { expect: _expect, 'content-type': _type, 'content-length': _length, ...passed } = headers
  if (body) passed['content-length'] = String(body.length)
  if (original['content-type'] !== undefined) passed['content-type'] = original['content-type']
  if (original.host !== undefined) passed.host = original.host
  return passed
}
