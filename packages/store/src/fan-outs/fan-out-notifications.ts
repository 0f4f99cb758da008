import type { Binary, Collection } from 'mongodb'
import type { Announcing } from '../announcements/announcing.ts'
import { toKey } from '../binary.ts'
import type { EraseStored } from '../erasures/erase-stored.ts'
import type { ErasedPersons } from '../erasures/erased-persons.ts'
import { erasedIn, maskNotification, toWithPersons } from '../erasures/mask.ts'
import { type InsertOutcome, insertNew } from '../insert-new.ts'
import type { NewNotification } from '../notifications/notification-document.ts'
import { type FanOutDocument, toFanOutDocument } from './fan-out-document.ts'
import { limitToFirstRecipients } from './first-recipients.ts'
import type { TakeBack } from './take-back.ts'
import type { TombstoneDocument } from './tombstone-document.ts'
import { recipientsLeft, type Tombstones } from './tombstones.ts'

/** `erased`: the notifications with a person who was erased since they were created. */
export type StoreNotifications = (
  notifications: readonly NewNotification[],
) => Promise<InsertOutcome<NewNotification> & { readonly erased: readonly NewNotification[] }>

/** Stores each notification for its recipients. */
export type InsertForRecipients = (notifications: readonly NewNotification[]) => Promise<InsertOutcome<NewNotification>>

export type FanOutDependencies = {
  readonly fanOuts: Collection<FanOutDocument>
  readonly tombstones: Tombstones
  readonly takeBack: TakeBack
  /** Nothing is announced without it. */
  readonly announcing?: Announcing | undefined
  readonly erasedPersons: ErasedPersons
  /** Removes erased persons from notifications that may be stored already. */
  readonly eraseStored: EraseStored
  /** Stores each notification for its recipients. */
  readonly insertForRecipients: InsertForRecipients
}

/**
 * Stores notifications: the fan-out of each, then its documents, except for recipients from whom it was retracted, and
 * without erased persons. A retraction stores its tombstone, then searches the fan-outs; so it finds this fan-out, or its
 * tombstone is found here after the insert. The same holds for erasures.
 */
export function createFanOutNotifications(dependencies: FanOutDependencies): StoreNotifications {
  const { fanOuts, tombstones, takeBack, announcing, erasedPersons, eraseStored, insertForRecipients } = dependencies

  return async (notifications) => {
    if (notifications.length === 0) return { inserted: 0, duplicates: 0, refused: [], erased: [] }
    const withPersons = notifications.map(toWithPersons)
    const [known, gone, fannedOut] = await Promise.all([
      tombstones.look(notifications),
      erasedPersons.look(withPersons),
      insertNew(
        fanOuts,
        notifications.map((notification) => toFanOutDocument(notification, announcing)),
      ),
    ])
    if (announcing) countSkipped(announcing, notifications, fannedOut)
    const refusedFirst = toRefused(fannedOut.refused, notifications)
    const rejected = new Set(refusedFirst.map(({ document }) => document))
    const limited = fannedOut.duplicates === 0 ? new Map() : await limitToFirstRecipients(fanOuts, notifications)
    const origins = new Map<NewNotification, NewNotification>()
    for (const notification of notifications) {
      if (rejected.has(notification)) continue
      const named = limited.get(notification) ?? notification
      const masked = gone.isEmpty ? named : maskNotification(named, erasedIn(named, gone.find))
      addOrigin(origins, notification, masked, known.applying.get(notification))
    }
    const { refused, ...counts } = await insertForRecipients([...origins.keys()])
    // Also those known before: an earlier attempt may have stored them before their tombstone was.
    const [{ applying }, goneNow] = await Promise.all([
      tombstones.look(notifications, known),
      erasedPersons.look(withPersons, gone),
    ])
    await takeBack([...applying].map(([notification, found]) => ({ key: keyOf(notification), tombstones: found })))
    const erased = goneNow.isEmpty ? [] : await eraseStored(notifications, goneNow.find)
    const requests = notifications.filter(({ finishBy }) => finishBy !== undefined).map(keyOf)
    if (requests.length > 0) await finishRequests(fanOuts, requests, announcing)
    return {
      ...counts,
      erased,
      refused: [
        ...refusedFirst,
        ...refused.map(({ document, reason }) => ({ document: origins.get(document) ?? document, reason })),
      ],
    }
  }
}

/** All of it is stored: nothing is due any more, except its announcement. */
async function finishRequests(
  fanOuts: Collection<FanOutDocument>,
  keys: readonly Binary[],
  announcing: Announcing | undefined,
): Promise<void> {
  const done = { content: true, dueAt: true } as const
  if (announcing) {
    await fanOuts.updateMany(
      { _id: { $in: [...keys] }, unannounced: { $exists: true } },
      { $unset: done, $set: { 'unannounced.stored': true, announceAt: announcing.now() } },
    )
  }
  await fanOuts.updateMany({ _id: { $in: [...keys] }, dueAt: { $exists: true } }, { $unset: done })
}

/** Those stored for the first time, assuming that duplicates are among the old ones, as in a replay. */
function countSkipped(
  { isRecent, onTooOld }: Announcing,
  notifications: readonly NewNotification[],
  { duplicates }: Pick<InsertOutcome<FanOutDocument>, 'duplicates'>,
): void {
  const old = notifications.filter(({ createdAt }) => !isRecent(createdAt)).length
  if (old > duplicates) onTooOld(old - duplicates)
}

const keyOf = ({ subscriberId, id }: NewNotification) => toKey(subscriberId, id)

function addOrigin(
  origins: Map<NewNotification, NewNotification>,
  origin: NewNotification,
  limited: NewNotification,
  tombstones: readonly TombstoneDocument[] = [],
): void {
  const recipientIds = recipientsLeft(limited, tombstones)
  if (recipientIds.length === 0) return
  origins.set(recipientIds === limited.recipientIds ? limited : { ...limited, recipientIds }, origin)
}

function toRefused(
  refused: InsertOutcome<FanOutDocument>['refused'],
  notifications: readonly NewNotification[],
): InsertOutcome<NewNotification>['refused'] {
  if (refused.length === 0) return []
  const reasons = new Map(refused.map(({ document, reason }) => [document._id.toString('hex'), reason]))
  return notifications.flatMap((document) => {
    const reason = reasons.get(keyOf(document).toString('hex'))
    return reason === undefined ? [] : [{ document, reason }]
  })
}
