import type { FastifyReply, FastifyRequest } from 'fastify'
import { userKeyOf } from '../shares/budget.ts'
import { problem } from './problem.ts'

const windowMs = 60_000
/** Number of users counted at a time. The one whose window began first is forgotten first, and starts with a new one. */
const countedUsers = 50_000

/**
 * Limits the requests of each user per minute. Only that user’s token uses them up. Responses have the fields `RateLimit-Limit`,
 * `-Remaining` and `-Reset` of draft-ietf-httpapi-ratelimit-headers up to version 06.
 */
export function createRateLimit(requestsPerMinute: number) {
  /** In the order of their ends. */
  const windows = new Map<string, { readonly endsAt: number; count: number }>()

  function open(user: string, now: number) {
    const opened = { endsAt: now + windowMs, count: 0 }
    windows.delete(user)
    windows.set(user, opened)
    for (const [oldest, { endsAt }] of windows) {
      if (endsAt > now && windows.size <= countedUsers) break
      windows.delete(oldest)
    }
    return opened
  }

  /** @throws HttpProblem `rate_limited` */
  return function limitRate({ caller }: FastifyRequest, reply: FastifyReply): void {
    if (caller === undefined) return
    // Whole milliseconds: the sum of a fraction and the window, less the fraction, may be above the window.
    const now = Math.floor(performance.now())
    const user = userKeyOf(caller)
    const known = windows.get(user)
    const current = known && known.endsAt > now ? known : open(user, now)
    current.count++
    const seconds = Math.ceil((current.endsAt - now) / 1_000)
    reply.headers({
      'ratelimit-limit': requestsPerMinute,
      'ratelimit-remaining': Math.max(0, requestsPerMinute - current.count),
      'ratelimit-reset': seconds,
    })
    if (current.count <= requestsPerMinute) return
    const detail = `Limit of ${requestsPerMinute} requests per minute exceeded; retry in ${seconds} s`
    throw problem('rate_limited', detail, { headers: { 'retry-after': String(seconds) } })
  }
}
