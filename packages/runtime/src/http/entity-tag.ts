import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from './vary.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer has an `ETag`, and is 304 for who has it already. */
    etag?: boolean
  }
}

/** A strong entity tag (RFC 9110, 8.8.3): a hash of the body, so that nothing has to be remembered. */
export function entityTagOf(body: string | Buffer): string {
  return `"${hash('sha256', body, 'base64url')}"`
}

const isBody = (body: unknown): body is string | Buffer => typeof body === 'string' || Buffer.isBuffer(body)

/** Whether `If-None-Match` names the tag, by weak comparison (RFC 9110, 13.1.2); `*` names every one. */
export function isNamedIn(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  // A weak tag differs by the `W/` before it, which does not count here, and so is not even looked for.
  return ifNoneMatch.match(/"[^"]*"/g)?.includes(tag) ?? false
}

/** Tags the successful answers of routes that ask for it. For `onSend`: `HEAD` still has its body there. */
export async function tagAnswer(request: FastifyRequest, reply: FastifyReply, body: unknown): Promise<unknown> {
  if (request.routeOptions.config.etag !== true || reply.statusCode !== 200 || !isBody(body)) return body
  const tag = entityTagOf(body)
  reply.headers({ etag: tag, 'cache-control': 'private, no-cache' })
  addVary(reply, 'Authorization')
  if (!isNamedIn(request.headers['if-none-match'], tag)) return body
  reply.code(304).removeHeader('content-type')
  // Fastify takes the body from an answer to `HEAD` by itself, and notes its length.
  return request.method === 'HEAD' ? body : null
}
