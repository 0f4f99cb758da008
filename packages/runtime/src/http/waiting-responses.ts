import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Budget } from '../shares/budget.ts'
import { holdWhileOpen } from './hold-while-open.ts'

/** Smaller responses cost less than their request. */
const countedBytes = 64 * 1024

/**
 * Bounds the bytes of responses waiting to be read, in `onSend`. Without a user they are the same for all. The response to a
 * request that changed something is never refused: it is about as large as the body, which is held as long. @throws OverBudget
 */
export function createWaitingResponses(responses: Budget) {
  return function boundWaiting(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    const bytes = Buffer.isBuffer(payload) || typeof payload === 'string' ? Buffer.byteLength(payload) : 0
    if (bytes < countedBytes || request.method !== 'GET' || request.caller === undefined) return
    holdWhileOpen(reply, responses, request.caller, bytes)
  }
}
