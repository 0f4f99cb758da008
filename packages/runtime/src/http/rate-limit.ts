import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../auth/identity.ts'
import { problem } from './problem.ts'

// Users who are counted at the same time. Whoever was seen longest ago is forgotten first, and so begins anew.
const countedUsers = 50_000

export type RateLimitOptions = {
  readonly requestsPerMinute: number
  readonly identityOf: (request: FastifyRequest) => Identity | undefined
}

/**
 * Counts the requests of each user in windows of a minute, in this process, and refuses what is too much. What has no
 * identity is not counted: nobody can use up the budget of a user without that user's token.
 *
 * @returns a hook that goes after authentication; it throws HttpProblem `rate_limited`
 */
export function createRateLimit(app: FastifyInstance, { requestsPerMinute, identityOf }: RateLimitOptions) {
  app.register(rateLimit, {
    global: false,
    max: requestsPerMinute,
    timeWindow: 60_000,
    cache: countedUsers,
    // `RateLimit-Limit`, `-Remaining` and `-Reset`, as draft-ietf-httpapi-ratelimit-headers has them up to version 06.
    enableDraftSpec: true,
    keyGenerator: (request) => {
      const identity = identityOf(request)
      return `${identity?.subscriberId}/${identity?.userId}`
    },
    errorResponseBuilder: (_request, { max, ttl }) =>
      problem('rate_limited', `Limit of ${max} requests per minute exceeded; retry in ${Math.ceil(ttl / 1000)} s`),
  })
  let count: ReturnType<FastifyInstance['rateLimit']> | undefined

  return async function limitRate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (identityOf(request) === undefined) return
    // The plugin is not there before the server is ready.
    count ??= app.rateLimit()
    await count.call(app, request, reply)
  }
}
