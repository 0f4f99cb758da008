import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problem } from './problem.ts'

// Number of users counted at a time. The least recently seen is evicted first, and starts with a new window.
const countedUsers = 50_000

/** Limits the requests of each user per minute. Only that user’s token uses them up. @throws HttpProblem `rate_limited` */
export function createRateLimit(app: FastifyInstance, requestsPerMinute: number) {
  app.register(rateLimit, {
    global: false,
    max: requestsPerMinute,
    timeWindow: 60_000,
    cache: countedUsers,
    // `RateLimit-Limit`, `-Remaining` and `-Reset` of draft-ietf-httpapi-ratelimit-headers up to version 06.
    enableDraftSpec: true,
    keyGenerator: ({ caller }) => `${caller?.subscriberId}/${caller?.userId}`,
    errorResponseBuilder: (_request, { max, ttl }) =>
      problem('rate_limited', `Limit of ${max} requests per minute exceeded; retry in ${Math.ceil(ttl / 1000)} s`),
  })
  let count: ReturnType<FastifyInstance['rateLimit']> | undefined

  return async function limitRate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (request.caller === undefined) return
    // The plugin is not available before the server is ready.
    count ??= app.rateLimit()
    await count.call(app, request, reply)
  }
}
