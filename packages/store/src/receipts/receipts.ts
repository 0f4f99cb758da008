import type { Collection } from 'mongodb'
import { Binary } from 'mongodb'
import { toKey, toUuidBinary } from '../binary.ts'
import { insertNew } from '../insert-new.ts'
import type { NewNotification, NotificationDocument } from '../notifications/notification-document.ts'
import { readReceiptAt } from '../notifications/read-state.ts'
import { readLimits } from '../reading/read-limits.ts'
import { StorageUnavailableError } from '../storage-errors.ts'
import { claimOverdue, type OverdueReceipts } from './overdue-receipts.ts'

export type ReceiptKind = 'email-sent' | 'read'

/** An event of one recipient's notification. */
export type Receipt = {
  readonly subscriberId: string
  readonly recipientId: string
  readonly notificationId: string
  readonly kind: ReceiptKind
  /** The time of the event. */
  readonly at: Date
  /** The id derived from the event. */
  readonly eventId: string
  /** The original record, in a format chosen by the caller: an overdue receipt becomes a dead letter. */
  readonly record: string
}

/** A receipt that arrived before its notification. */
export type WaitingReceiptDocument = {
  /** The key of the notification's document ‖ the id of the receipt's event, 64 bytes. */
  _id: Binary
  v: 1
  /** The key of the notification's document: subscriber ‖ recipient ‖ id. */
  key: Binary
  kind: ReceiptKind
  at: Date
  waitingSince: Date
  /** Until then, a process is publishing it as a dead letter. */
  leaseUntil: Date
  /** The claim of that process. */
  claimId?: Binary
  /** The consumer group that has to process the notification; absent in documents of the previous release. */
  group?: string
  /** The original record, in the format of the consumer. */
  record: string
}

/** The outcome: each receipt is applied, waiting, or refused by MongoDB. */
export type AppliedReceipts = {
  readonly waiting: number
  readonly refused: readonly { readonly document: Receipt; readonly reason: string }[]
}

/** The calling consumer group. Its progress is independent of other groups, one of which may replay a topic. */
export type ReceiptContext = { readonly now: Date; readonly group: string }

export type Receipts = {
  /**
   * Applies each receipt whose notification exists; the others wait. The earliest e-mail time is kept. A read receipt
   * only applies to a notification that was not marked since, so a replay never undoes a mark.
   *
   * A receipt that waits for another group now waits for this one, which has yet to reach the notification.
   */
  apply(receipts: readonly Receipt[], context: ReceiptContext): Promise<AppliedReceipts>
  /** Applies the receipts that wait for these notifications. Call it after storing them. */
  settle(notifications: readonly NewNotification[]): Promise<void>
  /**
   * Claims receipts of the group that have waited since before `before`, the oldest first, and whose notifications are
   * still missing; those of another group after a day more. A claim lasts for `leaseMs`, after which another process
   * may claim them. Returns `undefined` if nothing is overdue.
   */
  claimOverdue(claim: ReceiptContext & { before: Date; leaseMs: number }): Promise<OverdueReceipts | undefined>
}

type Notifications = Collection<NotificationDocument>
type Waiting = Collection<WaitingReceiptDocument>
type Keyed = { readonly key: Binary; readonly kind: ReceiptKind; readonly at: Date }

const keysPerQuery = 1_000
const lookupsAtOnce = 32
const hex = (binary: Binary) => binary.toString('hex')
const keyOf = ({ subscriberId, recipientId, notificationId }: Receipt) =>
  toKey(subscriberId, recipientId, notificationId)

export function createReceipts(notifications: Notifications, waiting: Waiting): Receipts {
  return {
    async apply(receipts, { now, group }) {
      const documents = receipts.map((receipt) => toWaiting({ ...receipt, key: keyOf(receipt) }, now, group))
      // A failure may have left a waiting document for a redelivered receipt that was applied. It is deleted here, too.
      const applied = await settleDocuments(notifications, waiting, documents)
      const missing = documents.filter((document) => !applied.has(document))
      if (missing.length === 0) return { waiting: 0, refused: [] }
      const { duplicates, refused } = await insertNew(waiting, missing)
      if (duplicates > 0) await takeOver(waiting, missing, { now, group })
      // The notification may have been stored meanwhile, before this receipt was visible to `settle`.
      const settled = await settleDocuments(notifications, waiting, missing)
      const unsaved = refused.filter(({ document }) => !settled.has(document))
      return {
        waiting: missing.length - settled.size - unsaved.length,
        refused: unsaved.map(({ document, reason }) => ({
          document: receipts[documents.indexOf(document)] as Receipt,
          reason,
        })),
      }
    },
    async settle(stored) {
      const keys = await keysWithWaiting(waiting, stored)
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

/** A group that replays a topic reaches the notification later than the group for which the receipt has waited. */
async function takeOver(waiting: Waiting, documents: readonly WaitingReceiptDocument[], context: ReceiptContext) {
  const { now: waitingSince, group } = context
  const ids = documents.map(({ _id }) => _id)
  const change = { $set: { group, waitingSince, leaseUntil: new Date(0) }, $unset: { claimId: true } } as const
  await waiting.updateMany({ _id: { $in: ids }, group: { $ne: group } }, change)
}

/**
 * Applies receipts in order, in one write. If it matched fewer documents, the missing ones are looked up and the others are
 * applied again, which changes nothing unless they were stored in between.
 *
 * @returns the receipts whose notification is missing
 */
async function applyPresent<T extends Keyed>(notifications: Notifications, receipts: readonly T[]): Promise<T[]> {
  if (receipts.length === 0) return []
  try {
    const { matchedCount } = await notifications.bulkWrite(receipts.map(toUpdate), { ordered: false })
    if (matchedCount === receipts.length) return []
    if (matchedCount === 0) return [...receipts]
    const present = await findPresent(notifications, receipts)
    const isPresent = ({ key }: T) => present.has(hex(key))
    const missing = receipts.filter((receipt) => !isPresent(receipt))
    return [...missing, ...(await applyPresent(notifications, receipts.filter(isPresent)))]
  } catch (cause) {
    if (cause instanceof StorageUnavailableError) throw cause
    throw new StorageUnavailableError('MongoDB did not confirm the receipts', { cause })
  }
}

function toUpdate({ key, kind, at }: Keyed) {
  const update = kind === 'email-sent' ? { $min: { emailSentAt: at } } : readReceiptAt(at)
  return { updateOne: { filter: { _id: key }, update } }
}

/** Looks up each key on its own, because MongoDB 6 scans a whole clustered collection for a list of keys. */
async function findPresent(notifications: Notifications, receipts: readonly Keyed[]): Promise<Set<string>> {
  const keys = new Map(receipts.map(({ key }) => [hex(key), key])).entries()
  const present = new Set<string>()
  const work = async (): Promise<void> => {
    for (const [text, _id] of keys) {
      if (await notifications.findOne({ _id }, { ...readLimits, projection: { _id: 1 } })) present.add(text)
    }
  }
  await Promise.all(Array.from({ length: lookupsAtOnce }, work))
  return present
}

/** @returns the receipts that were applied, and no longer wait */
async function settleDocuments(notifications: Notifications, waiting: Waiting, documents: WaitingReceiptDocument[]) {
  const missing = new Set(await applyPresent(notifications, documents))
  const settled = documents.filter((document) => !missing.has(document))
  if (settled.length > 0) await waiting.deleteMany({ _id: { $in: settled.map(({ _id }) => _id) } })
  return new Set(settled)
}

/**
 * The keys of `stored` for which receipts may wait. There are rarely any, so this is checked first; the keys are only
 * sent if many receipts wait.
 */
async function keysWithWaiting(waiting: Waiting, stored: readonly NewNotification[]): Promise<Binary[]> {
  const some = await waiting
    .find({}, { ...readLimits, projection: { key: 1 } })
    .limit(keysPerQuery + 1)
    .toArray()
  if (some.length === 0) return []
  const keys = stored.flatMap(({ subscriberId, recipientIds, id }) =>
    recipientIds.map((recipientId) => toKey(subscriberId, recipientId, id)),
  )
  if (some.length > keysPerQuery) return keys
  const waitingKeys = new Set(some.map(({ key }) => hex(key)))
  return keys.filter((key) => waitingKeys.has(hex(key)))
}

function toWaiting(receipt: Receipt & Keyed, now: Date, group: string): WaitingReceiptDocument {
  const { key, kind, at, eventId, record } = receipt
  const _id = new Binary(Buffer.concat([key.buffer, toUuidBinary(eventId).buffer]))
  return { _id, v: 1, key, kind, at, record, group, waitingSince: now, leaseUntil: new Date(0) }
}
