import { type LocationType, limits, timeOfUuidV7 } from '@herald/contracts'
import { toKey, toUuidBinary, uuidIn } from '@herald/mongo'
import { Binary } from 'mongodb'
import type { NewNotification } from './notification-document.ts'
import { bytesIn, type RecipientList, toRecipientList, withoutRecipients } from './recipient-list.ts'

/** The target of a retraction: one notification, or those of a location up to the retraction's time. */
export type RetractionTarget =
  | { readonly notificationId: string }
  | { readonly locationType: string; readonly locationId: string }

/** Retracts notifications from all of their recipients, or only from `recipientIds`. */
export type Retraction = {
  readonly subscriberId: string
  readonly eventId: string
  readonly time: Date
  readonly target: RetractionTarget
  readonly recipientIds?: readonly string[] | undefined
  /** From then on, another process finishes it if this one has died. For requests by id, which are not redelivered. */
  readonly finishBy?: Date | undefined
  readonly traceparent?: string | undefined
}

/** A retraction, kept so that what it retracted stays away when its event is replayed or arrives later. */
export type TombstoneDocument = {
  /** subscriber ‖ id of the retraction's event, 32 bytes. */
  _id: Binary
  v: 1
  /** subscriber ‖ notification id, 32 bytes, or subscriber ‖ location id ‖ location type, longer. */
  target: Binary
  /** The latest `createdAt` that it applies to; that of the notification if the target is one. */
  until: Date
  time: Date
  /** Only these recipients, sorted, 16 bytes each; absent for all. */
  recipients?: Binary
  /** The key of the last fan-out of the location that was retracted; a retry continues after it. */
  doneUpTo?: Binary
  /** When another process finishes the retraction of a request; once it is done, when it is repeated. */
  dueAt?: Date
  traceparent?: string
  /** Left to a worker, because it is large. */
  unfinished?: true
  /** Everything that was stored before the tombstone has been retracted. */
  done?: true
  keptFrom: Date
}

export const locationTarget = (subscriberId: string, locationId: string, locationType: string) =>
  new Binary(Buffer.concat([toKey(subscriberId, locationId).buffer, Buffer.from(locationType)]))

/** The fields of a fan-out with the location of such a target. */
export const locationIn = (target: Binary) => ({
  locationId: toUuidBinary(uuidIn(target, 1)),
  locationType: bytesIn(target).toString('utf8', 32) as LocationType,
})

export function toTombstone(retraction: Retraction): TombstoneDocument {
  const { subscriberId, eventId, time, target, recipientIds, finishBy, traceparent } = retraction
  const common = {
    _id: toKey(subscriberId, eventId),
    v: 1,
    time,
    ...(recipientIds === undefined ? {} : { recipients: new Binary(toRecipientList(recipientIds)) }),
    ...(traceparent === undefined ? {} : { traceparent }),
  } as const
  if ('locationId' in target) {
    return {
      ...common,
      target: locationTarget(subscriberId, target.locationId, target.locationType),
      until: time,
      keptFrom: time,
    }
  }
  // No notification has an id without a time.
  const until = new Date(timeOfUuidV7(target.notificationId) ?? 0)
  return {
    ...common,
    target: toKey(subscriberId, target.notificationId),
    until,
    // The notification may be newer than its retraction, if clocks differ, and is then kept for longer.
    keptFrom: until < time ? time : until,
    ...(finishBy === undefined ? {} : { dueAt: finishBy }),
  }
}

export function isInTime(until: Date, { createdAt, via }: Pick<NewNotification, 'createdAt' | 'via'>): boolean {
  return createdAt.getTime() <= until.getTime() + (via === 'http' ? limits.retractionClockMs : 0)
}

/** The target of a retraction by id has 32 bytes; one by location is longer. */
export const isOfOne = ({ target }: Pick<TombstoneDocument, 'target'>): boolean => target.length() === 32

/**
 * The latest `createdAt` that the tombstone may apply to. A person who was erased before it may be a recipient again, so the
 * tombstone still needs the id.
 */
export function latestConcerned({ target, until }: Pick<TombstoneDocument, 'target' | 'until'>): Date {
  return isOfOne({ target }) ? until : new Date(until.getTime() + limits.retractionClockMs)
}

/** The recipients that the retraction names; `undefined` for everyone. */
export function recipientsOf({ recipients }: TombstoneDocument): RecipientList | undefined {
  return recipients && bytesIn(recipients)
}

/** The update that erases the recipients at these positions. */
export function eraseRecipients({ _id, recipients = new Binary() }: TombstoneDocument, positions: readonly number[]) {
  const without = new Binary(withoutRecipients(bytesIn(recipients), positions))
  return { updateOne: { filter: { _id, recipients }, update: { $set: { recipients: without } } } }
}
