import { timeOfUuidV7 } from '@herald/contracts'
import { findNotification, type NotificationSources, type WaitingReceipts, type Wanted } from '@herald/feed'
import { keysUnder, readLimits, toKey, uuidIn } from '@herald/mongo'
import { appliesTo, type ErasedPersons } from '@herald/persons'
import type { Collections } from '../collections/collections.ts'

/** The traces of an event in MongoDB, without names, texts, e-mail addresses and states. */
export type FoundEvent = Awaited<ReturnType<EventLookup['find']>>
export type EventLookup = ReturnType<typeof createEventLookup>

export type EventLookupDependencies = NotificationSources &
  Pick<Collections, 'tombstones' | 'changeEntries' | 'erasures' | 'waitingReceipts'> & {
    readonly erasedPersons: ErasedPersons
  }

export function createEventLookup(dependencies: EventLookupDependencies) {
  const { tombstones, changeEntries, erasures, erasedPersons, waitingReceipts } = dependencies
  return {
    /** Reads only. With a recipient, only that recipient's notification and receipts are considered. */
    async find(wanted: Wanted) {
      const key = toKey(wanted.subscriberId, wanted.id)
      const [notification, changeEntry, retraction, naming, erasure, recipientErasedAt, receipts] = await Promise.all([
        findNotification(dependencies, wanted),
        changeEntries.findOne({ _id: key }, { ...readLimits, projection: { _id: 1 } }),
        tombstones.findOne({ _id: key }, { ...readLimits, projection: { time: 1, done: 1 } }),
        tombstones.findOne({ target: key }, { ...readLimits, hint: 'target', projection: { time: 1 } }),
        erasures.findOne({ _id: key }, { ...readLimits, projection: { until: 1, 'work.phase': 1 } }),
        findErasure(erasedPersons, wanted),
        findReceipts(waitingReceipts, wanted),
      ])
      return {
        notification,
        hasChangeEntry: changeEntry !== null,
        retraction: retraction ? { time: retraction.time, isDone: retraction.done === true } : undefined,
        /** The time of a retraction that names the notification by its id, whether it arrived or not. */
        retractedAt: naming?.time,
        erasure: erasure ? { time: erasure.until, isDone: erasure.work === undefined } : undefined,
        /** The time of the erasure of the recipient that was asked for, if it applies to the event. */
        recipientErasedAt,
        waitingReceipt: receipts.find(({ eventId }) => eventId === wanted.id),
        receiptsForIt: receipts.filter(({ notificationId }) => notificationId === wanted.id),
      }
    },
  }
}

async function findErasure(
  erasedPersons: ErasedPersons,
  { subscriberId, id, recipientId }: Wanted,
): Promise<Date | undefined> {
  if (recipientId === undefined) return undefined
  const createdAt = new Date(timeOfUuidV7(id) ?? 0)
  const { find } = await erasedPersons.look([{ subscriberId, createdAt, personIds: [recipientId] }])
  const person = find(subscriberId, recipientId)
  return appliesTo(person, createdAt) ? person.until : undefined
}

/** Waiting receipts of a subscriber that are examined; usually there are none. */
const examined = 200_000

async function findReceipts(waiting: WaitingReceipts, { subscriberId, id, recipientId }: Wanted) {
  const range = keysUnder(recipientId === undefined ? [subscriberId] : [subscriberId, recipientId], 4)
  const projection = { kind: 1, waitingSince: 1 } as const
  const found = []
  for await (const { _id, kind, waitingSince: since } of waiting
    .find({ _id: range }, { ...readLimits, projection })
    .limit(examined)) {
    const [recipientId, notificationId, eventId] = [uuidIn(_id, 1), uuidIn(_id, 2), uuidIn(_id, 3)]
    if (notificationId === id || eventId === id) found.push({ eventId, notificationId, recipientId, kind, since })
  }
  return found
}
