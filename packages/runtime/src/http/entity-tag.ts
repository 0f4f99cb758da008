import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from './headers.ts'

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface extends a declaration of Fastify.
  interface FastifyContextConfig {
    /** Successful responses have an `ETag`, and matching conditional requests get 304. */
    etag?: boolean
  }
}

const isBody = (body: unknown): body is string | Buffer => typeof body === 'string' || Buffer.isBuffer(body)

/** Whether `If-None-Match` matches the tag, by weak comparison (RFC 9110, 13.1.2); `*` matches every tag. */
function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  // Weak comparison ignores the `W/` prefix.
  return ifNoneMatch.match(/"[^"]*"/g)?.includes(tag) ?? false
}

/** Adds entity tags to routes with `etag`, and returns the body to send. Must run in `onSend`, where `HEAD` still has its body. */
export function tagResponse(request: FastifyRequest, reply: FastifyReply, body: unknown): unknown {
  if (request.routeOptions.config.etag !== true || reply.statusCode !== 200 || !isBody(body)) return body
  // A strong entity tag (RFC 9110, 8.8.3).
  const tag = `"${hash('sha256', body, 'base64url')}"`
  reply.headers({ etag: tag, 'cache-control': 'private, no-cache' })
  addVary(reply, 'Authorization')
  if (!matchesTag(request.headers['if-none-match'], tag)) return body
  reply.code(304).removeHeader('content-type')
  // Fastify removes the body of a response to `HEAD` itself, after setting its length.
  return request.method === 'HEAD' ? body : null
}
