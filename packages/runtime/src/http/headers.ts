import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyReply } from 'fastify'

/** Security headers of every response. `Strict-Transport-Security` is left to the gateway, which terminates TLS. */
export const securityHeaders = {
  // Responses are data: should a browser render one, it may load nothing and not be framed.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** The `x-request-id` of a request if it is harmless in log lines and headers, otherwise a new UUID. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID()
}

/** Adds a field to `Vary`, and keeps those that a route has set. */
export function addVary(reply: FastifyReply, field: string): void {
  const given = reply.getHeader('vary')
  if (given === undefined) return void reply.header('vary', field)
  const fields = String(given)
    .split(/\s*,\s*/)
    .filter((name) => name !== '')
  if (fields.some((name) => name.toLowerCase() === field.toLowerCase())) return
  reply.header('vary', [...fields, field].join(', '))
}
