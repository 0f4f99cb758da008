import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { findUnsafeJson, limits } from '@herald/contracts'
import { problem } from './problem.ts'

// This many times the limit is read and discarded before the 413: a client or gateway that is disconnected while it
// writes sees a broken connection instead of the response.
const drainedTimes = 16

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @throws HttpProblem `unsupported_media_type` for anything but uncompressed JSON in UTF-8 */
export function checkJsonContentType({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (!/^application\/json[\t ]*(;[\t ]*charset="?utf-8"?[\t ]*)?$/i.test(headers['content-type'] ?? '')) {
    throw problem('unsupported_media_type', 'The content type must be application/json')
  }
  if (!/^identity$/i.test(headers['content-encoding'] ?? 'identity')) {
    throw problem('unsupported_media_type', 'Content-Encoding is not supported for request bodies')
  }
}

/** @throws HttpProblem `body_too_large`, or `invalid_request` if the client disconnects */
export async function readBody(stream: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    // Not destroyed, because the response is still to be sent on its connection.
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
 * Parses JSON without dropping or renaming keys or setting prototypes.
 *
 * @throws HttpProblem `invalid_json`, or `validation_failed` for values that cannot be stored
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw problem('invalid_json', 'The body is empty')
  const body = parse(decode(bytes))
  const errors = findUnsafeJson(body, limits.bodyLevels)
  if (errors.length > 0)
    throw problem('validation_failed', 'The body contains values that cannot be stored', { errors })
  return body
}

/** Accepts an empty body or `{}` on a route without a body; anything else is a mistake of the client to report. */
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
