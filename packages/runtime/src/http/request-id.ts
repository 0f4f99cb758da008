import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * The id of a request: its `x-request-id` if that consists of 1 to 128 characters of `[A-Za-z0-9._-]`, otherwise a new
 * UUID. The id is written to log lines and headers, where other characters could do harm.
 */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID()
}
