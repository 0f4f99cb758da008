import {
  considerate,
  createFence,
  findTogether,
  hex,
  type InsertOutcome,
  insertNew,
  insertWithinMs,
  type MonotonicClock,
  writeAll,
} from '@herald/mongo'
import type { ErasedPersons } from '@herald/persons'
import type { Binary, Collection } from 'mongodb'
import type { DueBatch } from '../announcements/announcement.ts'
import type { Creations, JustStored } from '../announcements/creations.ts'
import type { FeedCollections } from '../documents/collections.ts'
import { type Announcing, type FanOutDocument, toFanOutDocument } from '../documents/fan-out-document.ts'
import { erasedIn, maskNotification, toWithPersons } from '../documents/mask.ts'
import {
  fanOutKeyIn,
  type NewNotification,
  type NotificationDocument,
  notificationKey,
  toNotificationDocuments,
} from '../documents/notification-document.ts'
import type { EraseStored } from '../erasures/erase-stored.ts'
import type { FindMuted } from '../mutes/find-muted.ts'
import type { SettleReceipts } from '../receipts/receipts.ts'
import type { RetractFromFanOuts } from '../retractions/retract-from-fan-outs.ts'
import type { Tombstones } from '../retractions/tombstones.ts'
import { asFirstStored, type Decided } from './as-first-stored.ts'

const exists = { $exists: true } as const

type StoreOutcome = InsertOutcome<NewNotification> & {
  /** The notifications with a person who was erased since they were created. */
  readonly erased: readonly NewNotification[]
  /** The creations to announce, as they are stored. Those of requests are left to the relay. */
  readonly created: DueBatch
}

export type StoreNotifications = (notifications: readonly NewNotification[]) => Promise<StoreOutcome>

export type StoreNotificationsDependencies = Pick<FeedCollections, 'fanOuts' | 'notifications'> & {
  readonly tombstones: Tombstones
  readonly retractFromFanOuts: RetractFromFanOuts
  readonly announcing?: Announcing | undefined
  readonly creations: Pick<Creations, 'of'>
  readonly erasedPersons: ErasedPersons
  readonly eraseStored: EraseStored
  readonly receipts: SettleReceipts
  readonly findMuted: FindMuted
  readonly clock?: MonotonicClock | undefined
}

/**
 * Stores the fan-out of each notification, with the recipients who have muted it, then its documents, except for recipients from
 * whom it was retracted, and without erased persons; then applies the receipts that were ahead. A retraction stores its tombstone,
 * then searches the fan-outs: it finds this fan-out, or its tombstone is found here after the insert. So does an erasure.
 */
export function createStoreNotifications(dependencies: StoreNotificationsDependencies): StoreNotifications {
  const { fanOuts, tombstones, retractFromFanOuts, announcing, creations, erasedPersons, eraseStored } = dependencies
  const { receipts, findMuted, notifications: collection, clock } = dependencies

  return async (notifications) => {
    const fence = createFence(insertWithinMs, clock)
    const withPersons = notifications.map(toWithPersons)
    const [retracted, erasedBefore, mutedNow] = await findTogether((find) =>
      Promise.all([
        tombstones.look(notifications, { find }),
        erasedPersons.look(withPersons, { find }),
        findMuted(notifications, find),
      ]),
    )
    const documents = notifications.map((one) => toFanOutDocument(one, announcing, mutedNow.get(one)))
    const fannedOut = await insertNew(fanOuts, documents)
    if (announcing) countSkipped(announcing, notifications, fannedOut)
    else if (fannedOut.duplicates > 0) await forgetAnnouncements(fanOuts, notifications.map(notificationKey))
    const refused = new Map<NewNotification, string>()
    const refuse = (reasonOf: ReadonlyMap<string, string>) => {
      for (const notification of reasonOf.size === 0 ? [] : notifications) {
        const reason = reasonOf.get(hex(notificationKey(notification)))
        if (reason !== undefined) refused.set(notification, reason)
      }
    }
    refuse(reasonsBy(hex, fannedOut))
    const known = fannedOut.duplicates === 0 ? undefined : await asFirstStored(fanOuts, notifications)
    const toStore: Decided[] = []
    for (const given of notifications) {
      if (refused.has(given)) continue
      const { notification: named, muted } = known?.get(given) ?? { notification: given, muted: mutedNow.get(given) }
      const masked = erasedBefore.isEmpty ? named : maskNotification(named, erasedIn(named, erasedBefore.find))
      const left = retracted.found.get(given)
      const recipientIds = left ? masked.recipientIds.filter((id) => left.has(id)) : masked.recipientIds
      if (recipientIds.length === 0) continue
      toStore.push({ notification: recipientIds === masked.recipientIds ? masked : { ...masked, recipientIds }, muted })
    }
    const requests = notifications.filter(({ finishBy }) => finishBy !== undefined).map(notificationKey)
    const pace = requests.length > 0 ? considerate : undefined
    const stored = await fence(() => insertNew(collection, documentsOf(toStore), pace))
    refuse(reasonsBy(fanOutKeyIn, stored))
    // Notifications known before are looked at, too: an earlier attempt may have stored them before their tombstone was.
    const [retractedNow, erasedNow, keysWithReceipts] = await findTogether((find) =>
      Promise.all([
        tombstones.look(notifications, { earlier: retracted, find }),
        erasedPersons.look(withPersons, { earlier: erasedBefore, find }),
        receipts.findKeys(notifications, find),
      ]),
    )
    const notNoted = await retractFromFanOuts(tombstones.applyingTo([...retractedNow.found.keys()]))
    const { erased, refused: notErased } = await eraseStored(notifications, erasedNow)
    refuse(notErased)
    refuse(notNoted)
    if (keysWithReceipts.length > 0) await receipts.settle(keysWithReceipts)
    if (requests.length > 0) await finishRequests(fanOuts, requests, announcing)

    const isNew = (notification: NewNotification) =>
      fannedOut.duplicates === 0 && !retractedNow.found.has(notification) && !erased.includes(notification)
    const toAnnounce = notifications.flatMap((notification, index): JustStored[] => {
      if (!announcing || notification.finishBy !== undefined || refused.has(notification)) return []
      const fanOut = documents[index] as FanOutDocument
      return [{ fanOut, notification: isNew(notification) ? notification : undefined }]
    })
    return {
      inserted: stored.inserted,
      duplicates: stored.duplicates,
      erased,
      created: await creations.of(toAnnounce),
      refused: [...refused].map(([document, reason]) => ({ document, reason })),
    }
  }
}

/** All of it is stored: nothing is due any more, except its announcement. */
async function finishRequests(
  fanOuts: Collection<FanOutDocument>,
  keys: readonly Binary[],
  announcing: Announcing | undefined,
): Promise<void> {
  const _id = { $in: keys }
  const $unset = { content: true, dueAt: true } as const
  if (announcing) {
    const update = { $unset, $set: { 'unannounced.stored': true as const, announceAt: announcing.now() } }
    await writeAll(fanOuts, [{ updateMany: { filter: { _id, unannounced: exists }, update } }])
  }
  await writeAll(fanOuts, [{ updateMany: { filter: { _id, dueAt: exists }, update: { $unset } } }])
}

/** The process that stored them died before it announced them, and now there is no topic. */
async function forgetAnnouncements(fanOuts: Collection<FanOutDocument>, keys: readonly Binary[]): Promise<void> {
  const filter = { _id: { $in: keys }, unannounced: exists, announceAt: { $exists: false } }
  const update = { $unset: { unannounced: true, unreadAt: true } } as const
  await writeAll(fanOuts, [{ updateMany: { filter, update } }])
}

/** Counts old notifications that are stored for the first time, assuming that duplicates are among the old ones, as in a replay. */
function countSkipped(
  { isRecent, onTooOld }: Announcing,
  notifications: readonly NewNotification[],
  { duplicates }: Pick<InsertOutcome<FanOutDocument>, 'duplicates'>,
): void {
  const old = notifications.filter(({ createdAt }) => !isRecent(createdAt)).length
  if (old > duplicates) onTooOld(old - duplicates)
}

/** Why MongoDB refused documents, by the key of their fan-out. */
function reasonsBy(keyIn: (key: Binary) => string, { refused }: Pick<InsertOutcome<{ _id: Binary }>, 'refused'>) {
  return new Map(refused.map(({ document, reason }) => [keyIn(document._id), reason]))
}

/** Yields one document at a time, because a few events may have a hundred thousand recipients together. */
function* documentsOf(decided: readonly Decided[]): Generator<NotificationDocument> {
  for (const { notification, muted } of decided) yield* toNotificationDocuments(notification, muted)
}
