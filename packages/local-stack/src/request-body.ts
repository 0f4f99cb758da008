import type { IncomingMessage } from 'node:http'

/** Far beyond what a service takes. */
const LARGEST = 16 * 1024 * 1024

/**
 * The whole body of a request, or undefined when it has none that is passed on. It is read before anything is sent:
 * a service may refuse a body unread, and its answer is lost when the body is still on its way.
 * Rejects with `statusCode` 413 when there is more than 16 MiB, after letting the rest pass.
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
