import { timeOfUuidV7 } from '@herald/contracts'
import type { Collection } from 'mongodb'
import { toKey } from '../binary.ts'
import type { ChangeEntryDocument } from '../change-entries/change-entry-document.ts'
import type { ErasedPersons } from '../erasures/erased-persons.ts'
import type { ErasureDocument } from '../erasures/erasure-document.ts'
import type { TombstoneDocument } from '../fan-outs/tombstone-document.ts'
import { readLimits } from '../reading/read-limits.ts'
import type { WaitingReceipts } from '../receipts/waiting-receipt.ts'
import { type FoundNotification, findNotification, type NotificationSources, type Wanted } from './find-notification.ts'
import { type FoundReceipt, findReceipts } from './find-receipts.ts'

/** The traces of an event in MongoDB, without names, texts, e-mail addresses and states. */
export type FoundEvent = {
  /** The notification that it created. */
  readonly notification: FoundNotification | undefined
  readonly hasChangeEntry: boolean
  /** Set if the event is a retraction. */
  readonly retraction: { readonly time: Date; readonly isDone: boolean } | undefined
  /** The times of the retractions that name the notification by its id, whether it arrived or not. */
  readonly retractedAt: readonly Date[]
  /** Set if the event erases a person. */
  readonly erasure: { readonly time: Date; readonly isDone: boolean } | undefined
  /** The time of the erasure of the recipient that was asked for, if it applies to the event. */
  readonly recipientErasedAt: Date | undefined
  /** Set if the event is a receipt that waits for its notification. */
  readonly waitingReceipt: FoundReceipt | undefined
  /** Receipts that wait for this notification. */
  readonly receiptsForIt: readonly FoundReceipt[]
}

export type EventLookup = {
  /** Reads only. With a recipient, only that recipient's notification and receipts are considered. */
  find(wanted: Wanted): Promise<FoundEvent>
}

export type EventLookupDependencies = NotificationSources & {
  readonly tombstones: Collection<TombstoneDocument>
  readonly changeEntries: Collection<ChangeEntryDocument>
  readonly erasures: Collection<ErasureDocument>
  readonly erasedPersons: ErasedPersons
  readonly waiting: WaitingReceipts
}

const retractionsShown = 100

export function createEventLookup({
  tombstones,
  changeEntries,
  erasures,
  erasedPersons,
  waiting,
  ...sources
}: EventLookupDependencies): EventLookup {
  return {
    async find(wanted) {
      const key = toKey(wanted.subscriberId, wanted.id)
      const [notification, changeEntry, retraction, naming, erasure, recipientErasedAt, receipts] = await Promise.all([
        findNotification(sources, wanted),
        changeEntries.findOne({ _id: key }, { ...readLimits, projection: { _id: 1 } }),
        tombstones.findOne({ _id: key }, { ...readLimits, projection: { time: 1, done: 1 } }),
        tombstones
          .find({ target: key }, { ...readLimits, hint: 'target', projection: { time: 1 } })
          .limit(retractionsShown)
          .toArray(),
        erasures.findOne({ _id: key }, { ...readLimits, projection: { until: 1, 'work.phase': 1 } }),
        findErasure(erasedPersons, wanted),
        findReceipts(waiting, wanted),
      ])
      return {
        notification,
        hasChangeEntry: changeEntry !== null,
        retraction: retraction ? { time: retraction.time, isDone: retraction.done === true } : undefined,
        retractedAt: naming.map(({ time }) => time),
        erasure: erasure ? { time: erasure.until, isDone: erasure.work === undefined } : undefined,
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
  const until = find(subscriberId, recipientId)?.until
  return until !== undefined && until >= createdAt ? until : undefined
}
