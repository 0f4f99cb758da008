import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { type Budget, OverBudget, type Owner, type Refusal } from '../shares/budget.ts'
import { problem } from './problem.ts'

// This many times the limit is read and discarded before the 413: a client or gateway that is disconnected while it
// writes sees a broken connection instead of the response.
const drainedTimes = 16

/** Held for a piece of a body, however few bytes it has. */
const leastPieceBytes = 512

const nobody: Owner = { subscriberId: '', userId: '' }

/** Reads bodies, each at most the `bodyLimit` of its route. Their bytes are held from when they arrive until `release`. */
export function createBodyReader(bodies: Pick<Budget, 'take'>) {
  const releases = new WeakMap<FastifyRequest, (() => void)[]>()

  /** @throws HttpProblem `body_too_large`, or `invalid_request` if the client disconnects; OverBudget */
  async function read(request: FastifyRequest, stream: Readable): Promise<Buffer> {
    const owner = request.caller ?? nobody
    const { bodyLimit } = request.routeOptions
    const chunks: Buffer[] = []
    const held: (() => void)[] = []
    releases.set(request, held)
    let length = 0
    let refused: Refusal | undefined
    try {
      // Not destroyed, because the response is still to be sent on its connection.
      for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        length += chunk.length
        if (length > bodyLimit * drainedTimes) break
        if (length > bodyLimit || refused !== undefined) continue
        const taken = bodies.take(owner, Math.max(chunk.length, leastPieceBytes))
        if (taken.ok) {
          held.push(taken.release)
          chunks.push(chunk)
        } else {
          refused = taken.refused
          chunks.length = 0
          release(request)
        }
      }
    } catch (cause) {
      throw problem('invalid_request', 'The body ended prematurely', { cause })
    }
    if (refused !== undefined) throw new OverBudget(refused)
    if (length > bodyLimit) throw problem('body_too_large', `The body must be at most ${bodyLimit} bytes`)
    return Buffer.concat(chunks)
  }

  function release(request: FastifyRequest): void {
    for (const releaseOne of releases.get(request)?.splice(0) ?? []) releaseOne()
  }

  return { read, release }
}
