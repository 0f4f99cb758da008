import type { IncomingMessage } from 'node:http'

/** Far more than a service accepts. */
const LARGEST = 16 * 1024 * 1024

/**
 * Reads the whole body of a request; returns undefined if there is none to forward. It is read before the request is
 * forwarded, because a service may reject a body unread, and its response is lost while the body is being sent.
 * Rejects with `statusCode` 413 for more than 16 MiB, after reading the rest.
 */
export async function readRequestBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size <= LARGEST) chunks.push(chunk)
  }
  if (size > LARGEST) throw Object.assign(new Error('The body is too large.'), { statusCode: 413 })
  const isPassed = size > 0 && request.method !== 'GET' && request.method !== 'HEAD'
  return isPassed ? Buffer.concat(chunks) : undefined
}
