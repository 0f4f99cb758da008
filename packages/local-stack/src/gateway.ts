import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import replyFrom from '@fastify/reply-from'
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { answerClientError } from './client-errors.ts'
import { createGatewayCors } from './gateway-cors.ts'
import { gatewayProblem } from './gateway-problem.ts'
import { readRequestBody } from './request-body.ts'

export interface GatewayOptions {
  ingestUrl: string
  queryUrl: string
  host?: string
  /** 0, or nothing, for one that is free. */
  port?: number
  /** How long a service may take to begin its answer, in milliseconds. */
  answerWithinMs?: number
  /** Origins whose pages may call, as the services know them. */
  corsOrigins?: readonly string[]
  /** What answers a path, such as `/demo`, and all below it, in place of the services. */
  mounts?: Readonly<Record<string, RequestListener>>
}

export interface StartedGateway {
  url: string
  stop(): Promise<void>
}

/**
 * Joins both services under one address: `POST /` is ingest's, everything else query's. Bodies and headers pass as
 * they are, streams unbuffered, and an answer that breaks off on the way breaks off here too.
 */
export async function startGateway(options: GatewayOptions): Promise<StartedGateway> {
  const { ingestUrl, queryUrl, host = '127.0.0.1', port = 0, answerWithinMs = 60_000, mounts = {} } = options
  const cors = createGatewayCors(options.corsOrigins ?? [])
  const app = fastify({
    forceCloseConnections: true,
    requestIdHeader: 'x-request-id',
    genReqId: () => randomUUID(),
    frameworkErrors: (error, request, reply) => sendProblem(error, request, reply as FastifyReply),
    clientErrorHandler: answerClientError,
  })
  // No limit to connections, because each event stream keeps one; none to pauses, because a stream may have them.
  const undici = { connections: null, headersTimeout: answerWithinMs, bodyTimeout: 0 }
  await app.register(replyFrom, { undici, destroyAgent: true })
  app.setErrorHandler(sendProblem)

  // In a hook, because it runs for every path and method, and before anything is read of a body. It never says that it
  // is done, because nothing is to follow; a promise would, when an answer breaks off.
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
    const preflight = cors.answerPreflight(request, reply)
    if (preflight) return preflight
    const problem = gatewayProblem(error, request.id)
    return reply.code(problem.status).type('application/problem+json').send(JSON.stringify(problem))
  }

  async function pass(request: FastifyRequest, reply: FastifyReply) {
    const upstream = request.method === 'POST' && pathOf(request) === '/' ? ingestUrl : queryUrl
    const body = await readRequestBody(request.raw)
    reply.from(undefined, {
      // With a type the plugin leaves the bytes alone; the client's own is put back below.
      ...(body ? { body, contentType: 'application/octet-stream' } : {}),
      getUpstream: () => upstream,
      rewriteRequestHeaders: (_request, headers) => passedHeaders(request.headers, headers, body),
      // The plugin would ask up to ten times when a service says 503.
      retryDelay: () => null,
      onError: (failed, { error }) => sendProblem(error, request, failed as FastifyReply),
    })
  }

  await app.listen({ host, port })
  const address = app.server.address() as AddressInfo
  return { url: `http://${host}:${address.port}`, stop: () => app.close() }
}

function pathOf({ url }: Pick<FastifyRequest, 'url'>) {
  return url.split('?', 1)[0]
}

function passedHeaders(original: IncomingHttpHeaders, headers: IncomingHttpHeaders, body: Buffer | undefined) {
  // `expect` was answered here, and the plugin has put its own type and host in the place of the client's.
  const { expect: _expect, 'content-type': _type, 'content-length': _length, ...passed } = headers
  if (body) passed['content-length'] = String(body.length)
  if (original['content-type'] !== undefined) passed['content-type'] = original['content-type']
  if (original.host !== undefined) passed.host = original.host
  return passed
}
