import type { IncomingMessage } from 'node:http'
import { decodeUtf8, findUnsafeJson, limits } from '@herald/contracts'
import { z } from 'zod'
import { problem } from './problem.ts'

/** @throws HttpProblem `unsupported_media_type` for anything but uncompressed JSON in UTF-8 */
export function checkJsonContentType({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (!/^application\/json[\t ]*(;[\t ]*charset="?utf-8"?[\t ]*)?$/i.test(headers['content-type'] ?? '')) {
    throw problem('unsupported_media_type', 'The content type must be application/json')
  }
  if (!/^identity$/i.test(headers['content-encoding'] ?? 'identity')) {
    throw problem('unsupported_media_type', 'Content-Encoding is not supported for request bodies')
  }
}

/** Whether the body of a route may be absent. */
export const acceptsNoBody = (schema: unknown): boolean => schema instanceof z.ZodOptional

/** Whether a request has a body: RFC 9112, section 6. */
export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** Parses JSON with every key as it is. @throws HttpProblem `invalid_json` or `validation_failed` */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw problem('invalid_json', 'The body is empty')
  const body = parse(bytes)
  const errors = findUnsafeJson(body, limits.bodyLevels)
  if (errors.length > 0)
    throw problem('validation_failed', 'The body contains values that cannot be stored', { errors })
  return body
}

/** Accepts an empty body or `{}` on a route without a body; anything else is a mistake of the client to report. */
export function refuseBody(bytes: Buffer): undefined {
  if (bytes.length > 0 && !/^\s*\{\s*\}\s*$/.test(bytes.toString('latin1'))) {
    throw problem('invalid_request', 'This operation does not accept a body')
  }
}

function parse(bytes: Buffer): unknown {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw problem('invalid_json', 'The body is not valid UTF-8')
  try {
    return JSON.parse(text)
  } catch {
    throw problem('invalid_json', 'The body is not valid JSON')
  }
}
