import { limits, operations } from '@herald/contracts'
import { type HttpServer, type Identity, invalidRequest, problem, routeOptions } from '@herald/runtime'
import type { Store } from '@herald/store'

export type MuteRoutesDependencies = {
  readonly mutes: Store['mutes']
  /** The time by MongoDB's clock, which is the same for all processes. */
  readonly clock: () => Date
}

/** Serves what the current user has muted. */
export function addMuteRoutes(app: HttpServer, { mutes, clock }: MuteRoutesDependencies): void {
  const mutesOf = ({ subscriberId, userId }: Identity) => mutes.of({ subscriberId, recipientId: userId })

  app.get('/mutes', routeOptions(operations.listMutes), async ({ identity }) => ({
    data: { mutes: await mutesOf(identity).list(clock()) },
  }))

  app.put(operations.setMute.path, routeOptions(operations.setMute), async ({ identity, params, body }) => {
    const now = clock()
    const until = body.until === undefined || body.until === null ? undefined : new Date(body.until)
    if (until !== undefined && until <= now) {
      throw invalidRequest([{ pointer: '/until', detail: 'Must be in the future' }])
    }
    const data = await mutesOf(identity).set(params, until, now)
    if (data === undefined) throw problem('too_many_mutes', `A user can have at most ${limits.mutes} mutes`)
    return { data }
  })

  app.delete(operations.removeMute.path, routeOptions(operations.removeMute), async ({ identity, params }, reply) => {
    await mutesOf(identity).remove(params)
    return reply.code(204).send()
  })
}
