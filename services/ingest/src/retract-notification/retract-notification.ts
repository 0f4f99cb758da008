import { deriveEventId, limits, timeOfUuidV7 } from '@herald/contracts'
import type { Retractions } from '@herald/store'

export type RetractNotificationDependencies = {
  readonly retractions: Retractions
  readonly clock: () => Date
}

/** A user's request to retract a notification. */
export type RetractionRequest = {
  readonly subscriberId: string
  readonly userId: string
  readonly notificationId: string
  readonly traceparent?: string | undefined
}

/** Returns `false` if the user is not the actor of such a notification. */
export type RetractNotification = (request: RetractionRequest) => Promise<boolean>

/** The `source` of the event for which a request counts; never the one of a publisher, which is not empty. */
const source = ''

/** Retracts a notification for its actor. Repeated requests are the same retraction. */
export function createNotificationRetraction({ retractions, clock }: RetractNotificationDependencies) {
  return async ({ subscriberId, userId, notificationId, traceparent }: RetractionRequest): Promise<boolean> => {
    const actorId = await retractions.actorOf({ subscriberId, notificationId })
    if (actorId !== userId) return false
    const identity = { subscriberId, source, id: notificationId, time: timeOfUuidV7(notificationId) ?? 0 }
    const eventId = deriveEventId(identity)
    const time = clock()
    const finishBy = new Date(time.getTime() + limits.requestFinishMs)
    const target = { notificationId }
    const { refused } = await retractions.apply([{ subscriberId, eventId, time, target, finishBy, traceparent }])
    if (refused[0]) throw new Error(`MongoDB rejected the retraction: ${refused[0].reason}`)
    return true
  }
}
