import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

type Watched = { readonly request: FastifyRequest; taken: number; looksLeft: number }

export type SlowResponsesOptions = {
  readonly stallMs: number
  /** Bytes per second. */
  readonly leastRate: number
  readonly afterExpiryMs: number
}

/** Looks are counted instead of milliseconds: a process that was suspended has not looked meanwhile. */
const looksPerStall = 12

/**
 * Destroys responses whose readers let them wait for `stallMs`. Bytes that the operating system accepts extend that time
 * as they would at `leastRate`, and any byte does so where a response has no end. A response with an end may outlast its token by
 * `afterExpiryMs`.
 */
export function createSlowResponses({ stallMs, leastRate, afterExpiryMs }: SlowResponsesOptions) {
  const responses = new Map<FastifyReply['raw'], Watched>()
  const lookMs = stallMs / looksPerStall
  const bytesPerLook = (leastRate * lookMs) / 1_000

  function look(): void {
    for (const [response, watched] of responses) {
      const { waiting, taken } = progressOf(response)
      const { routeOptions, caller } = watched.request
      const isEndless = routeOptions.config.endless === true
      const isExpired = !isEndless && Number(caller?.expiresAt) + afterExpiryMs < Date.now()
      const earned = waiting === 0 ? looksPerStall : (taken - watched.taken) / (isEndless ? 1 : bytesPerLook)
      watched.looksLeft = Math.min(looksPerStall, watched.looksLeft + earned) - 1
      watched.taken = taken
      if (isExpired || watched.looksLeft < 0) response.destroy()
    }
  }

  const timer = setInterval(look, lookMs).unref()
  return {
    watch(request: FastifyRequest, { raw }: FastifyReply): void {
      responses.set(raw, { request, taken: progressOf(raw).taken, looksLeft: looksPerStall })
    },
    forget: ({ raw }: FastifyReply) => responses.delete(raw),
    stop: () => clearInterval(timer),
  }
}

/** Members of Node.js's own: the public counters change only when a whole write is done, however large it is. */
type Counters = { readonly _bytesDispatched?: number; readonly _handle?: { readonly writeQueueSize?: number } | null }

function progressOf(response: FastifyReply['raw']): { readonly waiting: number; readonly taken: number } {
  const socket = response.socket as (Socket & Counters) | null
  const taken = (socket?._bytesDispatched ?? 0) - (socket?._handle?.writeQueueSize ?? 0)
  return { waiting: response.writableLength + (socket?.writableLength ?? 0), taken }
}
