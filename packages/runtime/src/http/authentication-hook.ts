import type { FastifyRequest } from 'fastify'
import type { Authentication, Authenticator } from '../auth/authenticator.ts'
import { headerValues } from '../auth/bearer-token.ts'
import type { Identity } from '../auth/identity.ts'
import { type HttpProblem, problem, retryLater } from './problem.ts'

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface extends a declaration of Fastify.
  interface FastifyRequest {
    /** The caller. Throws on a public route, where reading it is a programming error. */
    readonly identity: Identity
    caller: Identity | undefined
  }
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface extends a declaration of Fastify.
  interface FastifyContextConfig {
    public?: boolean
    scope?: string
  }
}

/** Creates the functions that verify the token, then check the scope of the route. */
export function createAuthenticationHook(authenticator: Pick<Authenticator, 'authenticate'>) {
  async function authenticate(request: FastifyRequest): Promise<void> {
    if (request.routeOptions.config.public === true) return
    const authentication = await authenticator.authenticate(headerValues(request.raw.rawHeaders, 'authorization'))
    if (!authentication.ok) throw toProblem(authentication)
    request.caller = authentication.identity
  }

  function authorize(request: FastifyRequest): void {
    const { scope } = request.routeOptions.config
    if (scope === undefined || request.routeOptions.config.public === true) return
    const { caller } = request
    if (!caller?.scopes.has(scope)) throw missing(scope, caller?.scopeFault)
  }

  return { authenticate, authorize }
}

function toProblem(refusal: Extract<Authentication, { ok: false }>): HttpProblem {
  if (refusal.reason === 'unavailable') {
    const { retryAfterMs, cause } = refusal
    const headers = retryAfterMs === undefined ? retryLater : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }
    const options = { headers, cause }
    return problem('authentication_unavailable', 'The signing keys could not be fetched; try again later', options)
  }
  // RFC 6750, 3.1: without a token the challenge has no error code.
  const error =
    refusal.reason === 'absent' ? '' : `, error="invalid_token", error_description="${quotable(refusal.detail)}"`
  return problem('unauthorized', refusal.detail, { headers: { 'www-authenticate': `Bearer realm="herald"${error}` } })
}

/** The name of a claim may have characters that RFC 6750 forbids there. */
const quotable = (text: string) => text.replace(/[^ !#-[\]-~]/g, '?')

function missing(scope: string, fault?: string): HttpProblem {
  const challenge = `Bearer realm="herald", error="insufficient_scope", scope="${scope}"`
  const detail = `The token lacks the scope ${scope}${fault === undefined ? '' : `; ${fault}`}`
  return problem('missing_scope', detail, { headers: { 'www-authenticate': challenge } })
}
