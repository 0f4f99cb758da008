import type { FastifyRequest } from 'fastify'
import type { Authentication, Authenticator } from '../auth/authenticator.ts'
import { headerValues } from '../auth/bearer-token.ts'
import type { Identity } from '../auth/identity.ts'
import { type HttpProblem, problem, retryLater } from './problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls. Reading it on a public route is a mistake in the program, and throws. */
    readonly identity: Identity
  }
  interface FastifyContextConfig {
    /** The route needs no token. Every other one does. */
    public?: boolean
    /** The scope that the token must have. */
    scope?: string
  }
}

/** Lets a request in whose token is valid, and then has the scope of the route, and remembers who sent it. */
export function createAuthenticationHook(authenticator: Authenticator) {
  const identities = new WeakMap<FastifyRequest, Identity>()

  async function authenticate(request: FastifyRequest): Promise<void> {
    if (request.routeOptions.config.public === true) return
    const authentication = await authenticator.authenticate(headerValues(request.raw.rawHeaders, 'authorization'))
    if (!authentication.ok) throw toProblem(authentication)
    identities.set(request, authentication.identity)
  }

  async function authorize(request: FastifyRequest): Promise<void> {
    const { scope } = request.routeOptions.config
    if (scope === undefined || request.routeOptions.config.public === true) return
    if (!identities.get(request)?.scopes.has(scope)) throw missing(scope)
  }

  return { authenticate, authorize, identityOf: (request: FastifyRequest) => identities.get(request) }
}

function toProblem(refusal: Extract<Authentication, { ok: false }>): HttpProblem {
  if (refusal.reason === 'unavailable') {
    const options = { headers: retryLater, cause: refusal.cause }
    return problem('authentication_unavailable', 'The signing keys could not be fetched; try again later', options)
  }
  // RFC 6750, 3.1: a request that says nothing of a token is told the scheme and no error.
  const error = refusal.reason === 'absent' ? '' : `, error="invalid_token", error_description="${refusal.detail}"`
  return problem('unauthorized', refusal.detail, { headers: { 'www-authenticate': `Bearer realm="herald"${error}` } })
}

function missing(scope: string): HttpProblem {
  const challenge = `Bearer realm="herald", error="insufficient_scope", scope="${scope}"`
  return problem('missing_scope', `The token lacks the scope ${scope}`, { headers: { 'www-authenticate': challenge } })
}
