import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

const waitingPerSocket = 3

/**
 * Lets a request wait that a client sent without waiting for the response to an earlier one. If the client disconnects,
 * Node.js closes only the response whose turn it is, so nothing must be held for the others. Never resolves then.
 */
export function createRequestTurns() {
  const waiting = new WeakMap<Socket, number>()
  const add = (socket: Socket, by: number) => {
    const count = (waiting.get(socket) ?? 0) + by
    waiting.set(socket, count)
    if (count > waitingPerSocket) socket.destroy()
  }
  return async function turnOf({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply): Promise<void> {
    add(socket, 1)
    await once(raw, 'socket')
    add(socket, -1)
  }
}
