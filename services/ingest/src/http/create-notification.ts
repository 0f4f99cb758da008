import { createHash } from 'node:crypto'
import type { CreateNotification } from '@herald/contracts'
import { limits, makeUuidV7 } from '@herald/contracts'
import type { CreateRequests, NewNotification, Reservation } from '@herald/feed'
import type { Clock } from '@herald/runtime'
import { toCanonicalJson } from '@herald/sealed-log'
import type { Notifications } from '@herald/store'
import { type Author, toNewNotification } from './new-notification.ts'

export type CreateNotificationDependencies = {
  readonly notifications: Pick<Notifications, 'insertNew'>
  readonly createRequests: CreateRequests
  readonly clock: Clock
  readonly randomBytes: () => Uint8Array
}

/** The outcome of a request. `created` means that every recipient has the notification. */
export type CreateOutcome =
  | { readonly kind: 'created'; readonly notification: NewNotification }
  | Exclude<Reservation, { kind: 'reserved' | 'finished' }>

export type CreateNotificationUseCase = (
  body: CreateNotification,
  author: Author,
  idempotencyKey: string | undefined,
  traceparent?: string | undefined,
) => Promise<CreateOutcome>

export function createNotificationCreation(dependencies: CreateNotificationDependencies): CreateNotificationUseCase {
  const { notifications, createRequests, clock, randomBytes } = dependencies

  const fanOut = async (notification: NewNotification) => {
    const finishBy = new Date(clock().getTime() + limits.requestFinishMs)
    const { refused, erased } = await notifications.insertNew([{ ...notification, finishBy }])
    if (refused[0]) throw new Error(`MongoDB rejected the notification: ${refused[0].reason}`)
    return { kind: 'created', notification, isErased: erased.length > 0 } as const
  }

  return async (body, author, idempotencyKey, traceparent) => {
    const createdAt = clock()
    const id = makeUuidV7(createdAt.getTime(), randomBytes())
    const notification = toNewNotification(body, author, { id, createdAt, traceparent })
    if (idempotencyKey === undefined) return fanOut(notification)

    const key = { subscriberId: author.subscriberId, userId: author.actor.id, idempotencyKey }
    const bodyHash = createHash('sha256').update(toCanonicalJson(body)).digest()
    const reservation = await createRequests.reserve(key, bodyHash, notification, createdAt)
    if (reservation.kind === 'finished') return { kind: 'created', notification: reservation.notification }
    if (reservation.kind !== 'reserved') return reservation
    try {
      const outcome = await fanOut(reservation.notification)
      if (outcome.isErased) await reservation.erase()
      else await reservation.finish()
      return outcome
    } catch (error) {
      // Lets the client retry at once. If MongoDB is unavailable, it has to wait for the lease to end.
      await reservation.release().catch(() => {})
      throw error
    }
  }
}
