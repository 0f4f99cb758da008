import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { limits } from '@herald/contracts'
import {
  type FastifyBaseLogger,
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchema,
  type FastifyTypeProvider,
  fastify,
} from 'fastify'
import type { z } from 'zod'
import type { Authenticator } from '../auth/authenticator.ts'
import { schemaController } from '../fastify/schema-controller.ts'
import type { Logger } from '../logging/logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Budget } from '../shares/budget.ts'
import { bodyBudget, responseBudget } from '../shares/http-budgets.ts'
import type { Tracing } from '../tracing/span.ts'
import { allowHeader, createAllowedMethods, type MethodAndPath } from './allowed-methods.ts'
import { createAuthenticationHook } from './authentication-hook.ts'
import { createBodyReader } from './body-reader.ts'
import { boundConnections } from './bound-connections.ts'
import { createClientErrorHandler } from './client-errors.ts'
import { createCors } from './cors.ts'
import { tagResponse } from './entity-tag.ts'
import { requestIdOf, securityHeaders } from './headers.ts'
import { acceptsNoBody, checkJsonContentType, hasBody } from './json-body.ts'
import { problem } from './problem.ts'
import { createProblemResponses } from './problem-responses.ts'
import { createRateLimit } from './rate-limit.ts'
import { createRequestObservation, QuietLogController } from './request-observation.ts'
import { createRequestValidation } from './request-validation.ts'
import { createSlowResponses } from './slow-responses.ts'
import { createRequestTurns } from './turns.ts'
import { createWaitingResponses } from './waiting-responses.ts'

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface extends a declaration of Fastify.
  interface FastifyInstance {
    /** All routes except `HEAD`, for tests that compare them with the contract. */
    readonly servedRoutes: readonly ServedRoute[]
  }
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface extends a declaration of Fastify.
  interface FastifyContextConfig {
    /** The path of the operation that the route belongs to, such as the page of a style sheet. */
    partOf?: string
    /** Successful responses last until the client disconnects, so their duration is not observed. */
    endless?: boolean
  }
}

type ServedRoute = {
  readonly method: string
  readonly path: string
  readonly schema: FastifySchema | undefined
  readonly config: FastifyContextConfig | undefined
}

/** Infers the types of a route's `params`, `query`, `headers` and `body` from its zod schemas. */
interface ZodTypeProvider extends FastifyTypeProvider {
  readonly validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown
  readonly serializer: this['schema'] extends z.ZodType ? z.input<this['schema']> : unknown
}

export type HttpServer = FastifyInstance<Server, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypeProvider>

export type HttpServerDependencies = {
  readonly logger: Logger
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  readonly metrics: Pick<Metrics, 'httpRequestSeconds' | 'budgets'>
  readonly tracing?: Tracing | undefined
  /** All operations behind the base URL, including other services'. Used with the routes for 405 and `Allow`. */
  readonly operations?: readonly MethodAndPath[]
  readonly isStorageUnavailable?: (error: unknown) => boolean
  readonly rateLimitPerMinute?: number
  readonly corsOrigins?: readonly string[]
  /** Maximum size of a body in bytes, unless its route has another. */
  readonly bodyLimit?: number
  /** Milliseconds within which a whole request must arrive. */
  readonly requestTimeoutMs?: number
  /** Milliseconds without progress after which a response is destroyed, and the least rate of progress in bytes per second. */
  readonly stallMs?: number
  readonly leastRate?: number
  /** Milliseconds for which a response that is being read may outlast its token. */
  readonly afterExpiryMs?: number
  /** Bytes of bodies, and of responses that wait for their readers. */
  readonly bodies?: Budget
  readonly responses?: Budget
  /** Open connections; further ones are closed at once. */
  readonly maxConnections?: number
  /** Milliseconds that connections have to finish in when the server closes. */
  readonly drainMs?: number
}

/** The methods of which Fastify reads no body. */
const isBodyless = (method: string) => method === 'GET' || method === 'HEAD'

/** A client that has its response may send the rest of its body for this many milliseconds. */
const restMs = 2_000

/**
 * Otherwise Node.js would hold a part of it, outside the budget, until the response is sent, and the connection for as long as a
 * request may take.
 */
function discardBody({ raw: request }: FastifyRequest, { raw: response }: FastifyReply): void {
  if (!hasBody(request)) return
  request.resume()
  response.once('finish', () => {
    if (!request.complete) setTimeout(() => request.complete || request.destroy(), restMs).unref()
  })
}

/** Builds the HTTP side of a service, without routes and without listening. Its rules are in the README. */
export function createHttpServer({
  logger,
  authenticator,
  metrics,
  tracing,
  operations = [],
  isStorageUnavailable = () => false,
  rateLimitPerMinute = limits.requestsPerMinute,
  corsOrigins = [],
  bodyLimit = limits.bodyBytes,
  requestTimeoutMs = 30_000,
  stallMs = 60_000,
  leastRate = 16 * 1024,
  afterExpiryMs = 60 * 60_000,
  bodies = metrics.budgets.open(bodyBudget),
  responses = metrics.budgets.open(responseBudget),
  maxConnections = limits.connections,
  drainMs = 10_000,
}: HttpServerDependencies): HttpServer {
  const allowed = createAllowedMethods(operations)
  const cors = createCors({ origins: corsOrigins, allowed })
  const { authenticate, authorize } = createAuthenticationHook(authenticator)
  const observe = createRequestObservation({ metrics, tracing })
  const respondWithProblem = createProblemResponses(isStorageUnavailable)

  const bodyReader = createBodyReader(bodies)
  const slowResponses = createSlowResponses({ stallMs, leastRate, afterExpiryMs })
  const turnOf = createRequestTurns()

  function begin(request: FastifyRequest, reply: FastifyReply): void {
    const end = observe(request, reply)
    slowResponses.watch(request, reply)
    reply.raw.once('close', () => {
      slowResponses.forget(reply)
      bodyReader.release(request)
      end()
    })
    reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store', ...securityHeaders })
    cors.addHeaders(request, reply)
  }

  const app = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new QuietLogController(),
    genReqId: requestIdOf,
    requestTimeout: requestTimeoutMs,
    // Longer than the idle timeout of gateways, so that the gateway closes idle connections.
    keepAliveTimeout: 75_000,
    http: {
      // Room for a token of 8 KiB beside the longest cursor.
      maxHeaderSize: 16 * 1024,
      headersTimeout: Math.min(15_000, requestTimeoutMs),
      connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs),
    },
    forceCloseConnections: 'idle',
    // Requests on open connections still get a response while closing, with `Connection: close`.
    return503OnClosing: false,
    trustProxy: false,
    schemaController,
    bodyLimit,
    exposeHeadRoutes: true,
    // Long ids are malformed (400) rather than too long (414), so Fastify's limit of 100 is too low.
    routerOptions: { ignoreTrailingSlash: false, caseSensitive: true, maxParamLength: 2_048 },
    clientErrorHandler: createClientErrorHandler(logger),
    frameworkErrors: async (error, request, reply) => {
      if (reply.raw.socket === null) await turnOf(request as FastifyRequest, reply as FastifyReply)
      begin(request as FastifyRequest, reply as FastifyReply)
      respondWithProblem(error, request as FastifyRequest, reply as FastifyReply)
    },
  }).withTypeProvider<ZodTypeProvider>()

  boundConnections(app.server, maxConnections)
  const served: ServedRoute[] = []
  app.decorate('servedRoutes', served)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('identity', {
    getter(this: FastifyRequest) {
      if (this.caller === undefined) throw new Error('A public route has no identity')
      return this.caller
    },
  })
  app.setErrorHandler(respondWithProblem)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', bodyReader.read)

  app.addHook('onRoute', (route) => {
    const methods = Array.isArray(route.method) ? route.method : [route.method]
    const { url: path, schema, config } = route
    for (const method of methods) {
      allowed.add({ method, path })
      if (method !== 'HEAD') served.push({ method, path, schema, config })
    }
    const validate = createRequestValidation(route.schema ?? {}, { anyQuery: route.config?.public === true })
    route.preValidation = [validate, route.preValidation ?? []].flat()
  })
  const limitRate = createRateLimit(rateLimitPerMinute)
  // One hook instead of many: each costs every request a turn of the microtask queue.
  app.addHook('onRequest', async (request, reply) => {
    if (isBodyless(request.method)) discardBody(request, reply)
    if (reply.raw.socket === null) await turnOf(request, reply)
    begin(request, reply)
    if (cors.respondToPreflight(request, reply)) return reply
    refuseUnknown(request)
    await authenticate(request)
    limitRate(request, reply)
    authorize(request)
    const body = request.routeOptions.schema?.body
    if (body !== undefined && (hasBody(request) || !acceptsNoBody(body))) checkJsonContentType(request)
    return undefined
  })
  const boundWaiting = createWaitingResponses(responses)
  app.addHook('onSend', async (request, reply, payload) => {
    const tagged = tagResponse(request, reply, payload)
    boundWaiting(request, reply, tagged)
    // The headers are added again, because the route may have replaced `Vary`.
    cors.addHeaders(request, reply)
    return tagged
  })

  function refuseUnknown(request: FastifyRequest): void {
    const hasParameters = request.routeOptions.url?.includes(':') === true
    if (!request.is404 && !hasParameters) return
    const methods = allowed.at(request.url)
    if (!request.is404 && methods.has(request.method)) return
    const allow = allowHeader(methods, request.method)
    if (allow === '') throw problem('not_found', 'There is no resource at this path')
    throw problem('method_not_allowed', `Allowed methods: ${allow}`, { headers: { allow } })
  }

  app.addHook('preClose', async () => {
    // Slow clients and endless streams must not prevent the server from closing.
    const timer = setTimeout(() => app.server.closeAllConnections(), drainMs).unref()
    app.server.once('close', () => clearTimeout(timer))
  })
  app.addHook('onClose', async () => slowResponses.stop())
  return app
}
