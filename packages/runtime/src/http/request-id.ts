import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * The id of a request: its own `x-request-id` when that is 1 to 128 of `[A-Za-z0-9._-]`, else a new UUID. Nothing else
 * is let in, for it stands in log lines and header fields.
 */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID()
}
