import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { findUnsafeJson, limits } from '@herald/contracts'
import { problem } from './problem.ts'

// So much of a body that is too large is read and dropped before the answer: a client that is cut off while it writes
// sees a broken connection in place of the 413, and so does a gateway.
const drainedTimes = 16

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @throws HttpProblem `unsupported_media_type` for anything but JSON in UTF-8 that is not encoded any further */
export function checkJsonContentType({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (!/^application\/json[\t ]*(;[\t ]*charset="?utf-8"?[\t ]*)?$/i.test(headers['content-type'] ?? '')) {
    throw problem('unsupported_media_type', 'The content type must be application/json')
  }
  if (!/^identity$/i.test(headers['content-encoding'] ?? 'identity')) {
    throw problem('unsupported_media_type', 'Content-Encoding is not supported for request bodies')
  }
}

/** @throws HttpProblem `body_too_large`, or `invalid_request` when the client breaks off */
export async function readBody(stream: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    // Not destroyed, for the answer has yet to go out on its connection.
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length <= limit) chunks.push(chunk)
      else if (length > limit * drainedTimes) break
    }
  } catch (cause) {
    throw problem('invalid_request', 'The body ended prematurely', { cause })
  }
  if (length > limit) throw problem('body_too_large', `The body must be at most ${limit} bytes`)
  return Buffer.concat(chunks)
}

/**
 * JSON as it was sent: no key is dropped, renamed or taken for a prototype. What cannot be kept is refused.
 *
 * @throws HttpProblem `invalid_json`, or `validation_failed` for JSON that cannot be kept
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw problem('invalid_json', 'The body is empty')
  const body = parse(decode(bytes))
  const errors = findUnsafeJson(body, limits.bodyLevels)
  if (errors.length > 0)
    throw problem('validation_failed', 'The body contains values that cannot be stored', { errors })
  return body
}

/** A body where none is expected: nothing and `{}` say nothing, anything else is a mistake that we'd hide. */
export function refuseBody(bytes: Uint8Array): undefined {
  if (bytes.length > 0 && !/^\s*\{\s*\}\s*$/.test(Buffer.from(bytes).toString('latin1'))) {
    throw problem('invalid_request', 'This operation does not accept a body')
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw problem('invalid_json', 'The body is not valid UTF-8')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw problem('invalid_json', 'The body is not valid JSON')
  }
}
