import { deriveEventId, limits, operations, timeOfUuidV7, traceparentOf } from '@herald/contracts'
import type { Retractions } from '@herald/feed'
import { type Budget, type Clock, type Deadlines, type HttpServer, problem, routeOptions } from '@herald/runtime'

export type RetractRouteDependencies = {
  readonly retractions: Retractions
  readonly storage: Pick<Budget, 'within'>
  readonly slots: Pick<Budget, 'within'>
  readonly clock: Clock
  readonly deadlines: Pick<Deadlines, 'keep'>
  readonly limitMs: number
}

/** The `source` of the event for which a request counts; never the one of a publisher, which is not empty. */
const source = ''

/** `DELETE /notifications/{id}`: retracts a notification for its actor. Repeated requests are the same retraction. */
export function addRetractNotificationRoute(app: HttpServer, dependencies: RetractRouteDependencies): void {
  const { retractions, storage, slots, clock, deadlines, limitMs } = dependencies
  app.delete(
    '/notifications/:notificationId',
    routeOptions(operations.retractNotification),
    async ({ params: { notificationId }, identity, raw }, reply) => {
      const { subscriberId, userId } = identity
      const target = { notificationId }
      const actor = await storage.within(identity, 1, () => retractions.actorOf({ subscriberId, ...target }))
      if (actor !== userId) {
        throw problem('not_found', 'Notification not found')
      }
      const eventTime = timeOfUuidV7(notificationId) ?? 0
      const eventId = deriveEventId({ subscriberId, source, id: notificationId, time: eventTime })
      const time = clock()
      const finishBy = new Date(time.getTime() + limits.requestFinishMs)
      const traceparent = traceparentOf(raw.headers.traceparent)
      const retraction = { subscriberId, eventId, time, target, finishBy, traceparent }
      // One that does not end keeps its slot, as it does its connection.
      const work = slots.within(identity, 1, () => retractions.apply([retraction]))
      const { refused } = await deadlines.keep('A request to retract a notification', limitMs, work)
      if (refused[0]) throw new Error(`MongoDB rejected the retraction: ${refused[0].reason}`)
      return reply.code(204).send()
    },
  )
}
