import type { Collection } from 'mongodb'
import { Binary } from 'mongodb'
import { toKey, toUuidBinary } from './binary.ts'
import { insertNew } from './insert-new.ts'
import type { NewNotification, NotificationDocument } from './notification-document.ts'
import { claimOverdue, type OverdueReceipts } from './overdue-receipts.ts'
import { readLimits } from './read-limits.ts'
import { readReceiptAt } from './read-state.ts'
import { StorageUnavailableError } from './storage-errors.ts'

export type ReceiptKind = 'email-sent' | 'read'

/** What happened to a notification at one recipient. */
export type Receipt = {
  readonly subscriberId: string
  readonly recipientId: string
  readonly notificationId: string
  readonly kind: ReceiptKind
  /** When it happened. */
  readonly at: Date
  /** The id derived from its event. */
  readonly eventId: string
  /** The record that it was, in a form of the caller's: a receipt that waits in vain becomes a dead letter. */
  readonly record: string
}

/** A receipt that came before its notification. */
export type WaitingReceiptDocument = {
  /** The key of the notification's document ‖ the id of the receipt's event, 64 bytes. */
  _id: Binary
  v: 1
  /** The key of the notification's document: subscriber ‖ recipient ‖ id. */
  key: Binary
  kind: ReceiptKind
  at: Date
  waitingSince: Date
  /** Until then somebody is making a dead letter of it. */
  leaseUntil: Date
  /** Who that is. */
  claimId?: Binary
  /** The consumer group that has to handle its notification; absent in documents of the release before. */
  group?: string
  /** The record that it was, in the form that the consumer gave it. */
  record: string
}

/** What became of receipts: each was applied, waits, or can't even wait. */
export type AppliedReceipts = {
  readonly waiting: number
  readonly refused: readonly { readonly document: Receipt; readonly reason: string }[]
}

/** The asking consumer group. How far it has read says nothing of another one, which may replay a topic. */
export type ReceiptContext = { readonly now: Date; readonly group: string }

export type Receipts = {
  /**
   * Applies each receipt whose notification is there; one whose isn't waits. An e-mail's earliest time stands; a read mark
   * applies only to what is unread since before it, so that a replay never undoes a mark.
   *
   * One that waits for another group is this one's from now on, which has yet to come to the notification.
   */
  apply(receipts: readonly Receipt[], context: ReceiptContext): Promise<AppliedReceipts>
  /** Applies what has waited for these notifications, which have been stored. */
  settle(notifications: readonly NewNotification[]): Promise<void>
  /**
   * Some of the group's receipts that wait since before `before`, the longest first, for notifications that are still not
   * there; those of another group count when they have waited for a day more. They are claimed for `leaseMs`: whoever
   * fails leaves them to another. `undefined` when nothing is overdue.
   */
  claimOverdue(claim: ReceiptContext & { before: Date; leaseMs: number }): Promise<OverdueReceipts | undefined>
}

type Notifications = Collection<NotificationDocument>
type Waiting = Collection<WaitingReceiptDocument>
type Keyed = { readonly key: Binary; readonly kind: ReceiptKind; readonly at: Date }

const keysPerQuery = 1_000
const updatesAtOnce = 32
const hex = (binary: Binary) => binary.toString('hex')
const keyOf = ({ subscriberId, recipientId, notificationId }: Receipt) =>
  toKey(subscriberId, recipientId, notificationId)

export function createReceipts(notifications: Notifications, waiting: Waiting): Receipts {
  return {
    async apply(receipts, { now, group }) {
      const documents = receipts.map((receipt) => toWaiting({ ...receipt, key: keyOf(receipt) }, now, group))
      // One that comes again may have been left to wait by a failure after it was applied: that ends here, too.
      const applied = await settleDocuments(notifications, waiting, documents)
      const missing = documents.filter((document) => !applied.has(document))
      if (missing.length === 0) return { waiting: 0, refused: [] }
      const { duplicates, refused } = await insertNew(waiting, missing)
      if (duplicates > 0) await takeOver(waiting, missing, { now, group })
      // Its notification may have come in between, and looked for it in vain: who comes second finds the other.
      const settled = await settleDocuments(notifications, waiting, missing)
      const lost = refused.filter(({ document }) => !settled.has(document))
      return {
        waiting: missing.length - settled.size - lost.length,
        refused: lost.map(({ document, reason }) => ({
          document: receipts[documents.indexOf(document)] as Receipt,
          reason,
        })),
      }
    },
    async settle(stored) {
      const keys = await keysWaited(waiting, stored)
      for (let start = 0; start < keys.length; start += keysPerQuery) {
        const slice = keys.slice(start, start + keysPerQuery)
        const documents = await waiting
          .find({ key: { $in: slice } }, readLimits)
          .sort({ at: 1 })
          .toArray()
        await settleDocuments(notifications, waiting, documents)
      }
    },
    claimOverdue: (claim) =>
      claimOverdue(waiting, claim, (documents) => settleDocuments(notifications, waiting, documents)),
  }
}

/** A replay in another group comes to the notification later than the group for which the receipt has waited so far. */
async function takeOver(waiting: Waiting, documents: readonly WaitingReceiptDocument[], context: ReceiptContext) {
  const { now: waitingSince, group } = context
  const ids = documents.map(({ _id }) => _id)
  const change = { $set: { group, waitingSince, leaseUntil: new Date(0) }, $unset: { claimId: true } } as const
  await waiting.updateMany({ _id: { $in: ids }, group: { $ne: group } }, change)
}

/**
 * Applies receipts, those of one notification in order, others side by side. Each is one update by its key: the server of
 * MongoDB 6 scans a whole clustered collection for a list of keys.
 *
 * @returns those whose notification is not there
 */
async function applyPresent<T extends Keyed>(notifications: Notifications, receipts: readonly T[]): Promise<T[]> {
  const missing: T[] = []
  const queues = [...groupByKey(receipts).values()]
  const work = async (): Promise<void> => {
    for (let queue = queues.pop(); queue; queue = queues.pop()) {
      for (const receipt of queue) {
        const { matchedCount } = await applyOne(notifications, receipt)
        if (matchedCount === 0) missing.push(receipt)
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: updatesAtOnce }, work))
  } catch (cause) {
    throw new StorageUnavailableError('MongoDB did not confirm the receipts', { cause })
  }
  return missing
}

function groupByKey<T extends Keyed>(receipts: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const receipt of receipts) {
    const group = groups.get(hex(receipt.key))
    if (group) group.push(receipt)
    else groups.set(hex(receipt.key), [receipt])
  }
  return groups
}

function applyOne(notifications: Notifications, { key, kind, at }: Keyed) {
  if (kind === 'email-sent') return notifications.updateOne({ _id: key }, { $min: { emailSentAt: at } })
  return notifications.updateOne({ _id: key }, readReceiptAt(at))
}

/** @returns those that were applied, and wait no longer */
async function settleDocuments(notifications: Notifications, waiting: Waiting, documents: WaitingReceiptDocument[]) {
  const missing = new Set(await applyPresent(notifications, documents))
  const settled = documents.filter((document) => !missing.has(document))
  if (settled.length > 0) await waiting.deleteMany({ _id: { $in: settled.map(({ _id }) => _id) } })
  return new Set(settled)
}

/**
 * The keys among those of `stored` for which something may wait. Nearly always nothing waits at all, so that is asked
 * first; only when much waits are the keys themselves sent.
 */
async function keysWaited(waiting: Waiting, stored: readonly NewNotification[]): Promise<Binary[]> {
  const some = await waiting
    .find({}, { ...readLimits, projection: { key: 1 } })
    .limit(keysPerQuery + 1)
    .toArray()
  if (some.length === 0) return []
  const keys = stored.flatMap(({ subscriberId, recipientIds, id }) =>
    recipientIds.map((recipientId) => toKey(subscriberId, recipientId, id)),
  )
  if (some.length > keysPerQuery) return keys
  const wanted = new Set(some.map(({ key }) => hex(key)))
  return keys.filter((key) => wanted.has(hex(key)))
}

function toWaiting(receipt: Receipt & Keyed, now: Date, group: string): WaitingReceiptDocument {
  const { key, kind, at, eventId, record } = receipt
  const _id = new Binary(Buffer.concat([key.buffer, toUuidBinary(eventId).buffer]))
  return { _id, v: 1, key, kind, at, record, group, waitingSince: now, leaseUntil: new Date(0) }
}
