import { limits, operations } from '@herald/contracts'
import {
  type Budget,
  type HttpServer,
  type Identity,
  invalidRequest,
  problem,
  routeOptions,
  systemClock,
} from '@herald/runtime'
import type { Store } from '@herald/store'

export type MuteRoutesDependencies = {
  readonly mutes: Store['mutes']
  readonly storage: Pick<Budget, 'within'>
  /** The time by MongoDB's clock, which is the same for all processes. */
  readonly clock: () => Date
}

/** Serves what the current user has muted. */
export function addMuteRoutes(app: HttpServer, { mutes, storage, clock }: MuteRoutesDependencies): void {
  const mutesOf = ({ subscriberId, userId }: Identity) => mutes.of({ subscriberId, recipientId: userId })

  app.get('/mutes', routeOptions(operations.listMutes), async ({ identity }) => ({
    data: { mutes: await storage.within(identity, 1, () => mutesOf(identity).list(clock())) },
  }))

  app.put(operations.setMute.path, routeOptions(operations.setMute), async ({ identity, params, body }) => {
    const until = body.until === undefined || body.until === null ? undefined : new Date(body.until)
    // No clock alone refuses it.
    if (until !== undefined && until <= clock() && until <= systemClock()) {
      throw invalidRequest([{ pointer: '/until', detail: 'Must be in the future' }])
    }
    const data = await storage.within(identity, 1, () => mutesOf(identity).set(params, until, clock()))
    if (data === undefined) throw problem('too_many_mutes', `A user can have at most ${limits.mutes} mutes`)
    return { data }
  })

  app.delete(operations.removeMute.path, routeOptions(operations.removeMute), async ({ identity, params }, reply) => {
    await storage.within(identity, 1, () => mutesOf(identity).remove(params))
    return reply.code(204).send()
  })
}
