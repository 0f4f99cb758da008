import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../auth/identity.ts'
import { problem } from './problem.ts'

export type WaitingAnswersOptions = {
  readonly bytesPerUser: number
  readonly bytesPerProcess: number
  readonly identityOf: (request: FastifyRequest) => Identity | undefined
}

/** Smaller answers cost less than their request. */
const countedBytes = 64 * 1024

/**
 * Bounds the bytes of answers that wait for their readers. Streams bound themselves, and an answer without a user is the
 * same for everybody.
 *
 * @returns a function to call in `onSend`; throws HttpProblem `rate_limited`
 */
export function createWaitingAnswers({ bytesPerUser, bytesPerProcess, identityOf }: WaitingAnswersOptions) {
  const ofUsers = new Map<string, number>()
  let ofAll = 0

  return function boundWaiting(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    const bytes = Buffer.isBuffer(payload) || typeof payload === 'string' ? Buffer.byteLength(payload) : 0
    const identity = identityOf(request)
    if (bytes < countedBytes || identity === undefined) return
    const user = `${identity.subscriberId}/${identity.userId}`
    const own = ofUsers.get(user) ?? 0
    if (own + bytes > bytesPerUser || ofAll + bytes > bytesPerProcess) {
      throw problem('rate_limited', 'Too many large answers are waiting to be read', {
        headers: { 'retry-after': '5' },
      })
    }
    if (reply.raw.closed) return
    ofUsers.set(user, own + bytes)
    ofAll += bytes
    reply.raw.once('close', () => {
      ofAll -= bytes
      const left = (ofUsers.get(user) ?? 0) - bytes
      if (left > 0) ofUsers.set(user, left)
      else ofUsers.delete(user)
    })
  }
}
