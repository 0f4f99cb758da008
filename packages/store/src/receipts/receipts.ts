import { timeOfUuidV7 } from '@herald/contracts'
import type { Binary, Collection } from 'mongodb'
import { toKey } from '../binary.ts'
import type { ErasedPersons, FindErased } from '../erasures/erased-persons.ts'
import { appliesTo } from '../erasures/mask.ts'
import type { FindRetracted } from '../fan-outs/find-retracted.ts'
import { insertNew } from '../insert-new.ts'
import { idsIn, type NewNotification, type NotificationDocument } from '../notifications/notification-document.ts'
import { readLimits } from '../reading/read-limits.ts'
import { applyPresent } from './apply-receipts.ts'
import { claimOverdue, type OverdueReceipts } from './overdue-receipts.ts'
import {
  type Receipt,
  type ReceiptContext,
  toWaiting,
  type WaitingReceiptDocument,
  type WaitingReceipts,
} from './waiting-receipt.ts'

/** The outcome: each receipt is applied, waiting, dropped because its recipient was erased, or refused by MongoDB. */
type AppliedReceipts = {
  readonly waiting: number
  readonly dropped: number
  readonly refused: readonly { readonly document: Receipt; readonly reason: string }[]
}

export type Receipts = {
  /**
   * Applies each receipt whose notification exists; the others wait. The earliest e-mail time is kept. A read receipt
   * only applies to a notification that was not marked since, so a replay never undoes a mark.
   *
   * A receipt that waits for another group now waits for this one, which has yet to reach the notification.
   */
  apply(receipts: readonly Receipt[], context: ReceiptContext): Promise<AppliedReceipts>
  /** Applies the receipts that wait for these notifications. Call it after storing them. */
  settle(notifications: readonly Recipients[]): Promise<void>
  /**
   * Claims receipts of the group that have waited since before `before`, the oldest first, and whose notifications are
   * still missing; those of another group after a day more. A claim lasts for `leaseMs`, after which another process
   * may claim them. Returns `undefined` if nothing is overdue.
   */
  claimOverdue(claim: ReceiptContext & { before: Date; leaseMs: number }): Promise<OverdueReceipts | undefined>
}

/** A notification and its recipients. */
type Recipients = Pick<NewNotification, 'subscriberId' | 'id' | 'recipientIds'>
type Notifications = Collection<NotificationDocument>

const keysPerQuery = 1_000
const hex = (binary: Binary) => binary.toString('hex')

export function createReceipts(
  notifications: Notifications,
  waiting: WaitingReceipts,
  findRetracted: FindRetracted,
  erasedPersons: ErasedPersons,
): Receipts {
  const findErased = async (documents: readonly WaitingReceiptDocument[]) => {
    if (documents.length === 0) return []
    const { find, isEmpty } = await erasedPersons.look(documents.map(toPerson))
    return isEmpty ? [] : documents.filter((document) => isOfErased(document, find))
  }

  /** @returns the receipts that were applied, or whose notification or recipient is gone; they no longer wait */
  const settleDocuments = async (
    documents: readonly WaitingReceiptDocument[],
    dropped?: Set<WaitingReceiptDocument>,
  ) => {
    const absent = await applyPresent(notifications, documents)
    const retracted = await findRetracted(absent.map(({ key }) => key))
    const missing = new Set(absent.filter(({ key }) => !retracted.has(hex(key))))
    for (const erased of await findErased([...missing])) {
      missing.delete(erased)
      dropped?.add(erased)
    }
    const settled = documents.filter((document) => !missing.has(document))
    if (settled.length > 0) await waiting.deleteMany({ _id: { $in: settled.map(({ _id }) => _id) } })
    return new Set(settled)
  }

  return {
    async apply(receipts, context) {
      const documents = receipts.map((receipt) => toWaiting(receipt, context))
      // A failure may have left a waiting document for a redelivered receipt that was applied. It is deleted here, too.
      const dropped = new Set<WaitingReceiptDocument>()
      const applied = await settleDocuments(documents, dropped)
      const missing = documents.filter((document) => !applied.has(document))
      if (missing.length === 0) return { waiting: 0, dropped: dropped.size, refused: [] }
      const { duplicates, refused } = await insertNew(waiting, missing)
      if (duplicates > 0) await takeOver(waiting, missing, context)
      // The notification may have been stored meanwhile, before this receipt was visible to `settle`.
      const settled = await settleDocuments(missing, dropped)
      const unsaved = refused.filter(({ document }) => !settled.has(document))
      return {
        waiting: missing.length - settled.size - unsaved.length,
        dropped: dropped.size,
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
        await settleDocuments(documents)
      }
    },
    claimOverdue: (claim) => claimOverdue(waiting, claim, settleDocuments),
  }
}

/** A group that replays a topic reaches the notification later than the group for which the receipt has waited. */
async function takeOver(
  waiting: WaitingReceipts,
  documents: readonly WaitingReceiptDocument[],
  context: ReceiptContext,
) {
  const { now: waitingSince, group } = context
  const ids = documents.map(({ _id }) => _id)
  const change = { $set: { group, waitingSince, leaseUntil: new Date(0) }, $unset: { claimId: true } } as const
  await waiting.updateMany({ _id: { $in: ids }, group: { $ne: group } }, change)
}

/**
 * The keys of `stored` for which receipts may wait. There are rarely any, so this is checked first; the keys are only
 * sent if many receipts wait.
 */
async function keysWithWaiting(waiting: WaitingReceipts, stored: readonly Recipients[]): Promise<Binary[]> {
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

/** The notification's time, or that of the receipt if it is earlier or the id contains none. */
function toPerson({ key, at }: WaitingReceiptDocument) {
  const { subscriberId, recipientId, id } = idsIn(key)
  const createdAt = new Date(Math.min(timeOfUuidV7(id) ?? Infinity, at.getTime()))
  return { subscriberId, createdAt, personIds: [recipientId] }
}

function isOfErased(document: WaitingReceiptDocument, find: FindErased): boolean {
  const { subscriberId, createdAt, personIds } = toPerson(document)
  return personIds.some((personId) => appliesTo(find(subscriberId, personId), createdAt))
}
