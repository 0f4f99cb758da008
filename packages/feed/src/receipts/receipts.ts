import { timeOfUuidV7 } from '@herald/contracts'
import { type FindFew, hex, type InsertOutcome, inBatches, insertNew, readLimits, toKey, writeAll } from '@herald/mongo'
import { appliesTo, type ErasedPersons } from '@herald/persons'
import type { Binary } from 'mongodb'
import type { FeedCollections } from '../documents/collections.ts'
import { idsIn, type NewNotification } from '../documents/notification-document.ts'
import {
  type Receipt,
  type ReceiptContext,
  toWaiting,
  type WaitingReceiptDocument,
  type WaitingReceipts,
} from '../documents/waiting-receipt.ts'
import type { FindRetracted } from '../retractions/find-retracted.ts'
import { applyPresent } from './apply-receipts.ts'
import { claimOverdue, type OverdueReceipts } from './overdue-receipts.ts'

/** The outcome: each receipt is applied, waiting, dropped because its recipient was erased, or refused by MongoDB. */
type AppliedReceipts = Pick<InsertOutcome<Receipt>, 'refused'> & {
  readonly waiting: number
  readonly dropped: number
}

export type Receipts = {
  /**
   * Applies each receipt whose notification exists; the others wait. The earliest e-mail time is kept. A read receipt
   * only applies to a notification that was not marked since, so a replay never undoes a mark.
   * A receipt that waits for another group now waits for this one, which has yet to reach the notification.
   */
  apply(receipts: readonly Receipt[], context: ReceiptContext): Promise<AppliedReceipts>
  /**
   * Claims receipts of the group, for `leaseMs`, that have waited since before `before` and whose notifications are still
   * missing, the oldest first; those of another group after a day more. Returns `undefined` if nothing is overdue.
   */
  claimOverdue(claim: ReceiptContext & { before: Date; leaseMs: number }): Promise<OverdueReceipts | undefined>
}

/** Applies receipts that were ahead of their notification, when it is stored. */
export type SettleReceipts = {
  findKeys(stored: readonly Recipients[], find: FindFew): Promise<readonly Binary[]>
  settle(keys: readonly Binary[]): Promise<void>
}

type Recipients = Pick<NewNotification, 'subscriberId' | 'id' | 'recipientIds'>

export type ReceiptsDependencies = Pick<FeedCollections, 'notifications' | 'waitingReceipts'> & {
  readonly findRetracted: FindRetracted
  readonly erasedPersons: ErasedPersons
}

const keysPerQuery = 1_000
const fewKeys = 100
const receiptsPerQuery = 1_000
/** Any number may wait for one notification. More are left to `claimOverdue`, so that they hold up no other event. */
const readsPerBatch = 50
const waitingOptions = {
  ...readLimits,
  hint: 'notification',
  sort: { key: 1 },
  limit: receiptsPerQuery,
  projection: { key: 1, kind: 1, at: 1 },
} as const

export function createReceipts(dependencies: ReceiptsDependencies): Receipts & SettleReceipts {
  const { notifications, waitingReceipts: waiting, findRetracted, erasedPersons } = dependencies
  const findErased = async (documents: readonly WaitingReceiptDocument[]) => {
    if (documents.length === 0) return []
    const { find, isEmpty } = await erasedPersons.look(documents.map(toPerson))
    if (isEmpty) return []
    return documents.filter((document) => {
      const { subscriberId, createdAt, personIds } = toPerson(document)
      return personIds.some((personId) => appliesTo(find(subscriberId, personId), createdAt))
    })
  }

  /** Receipts that were applied, or whose notification or recipient was removed, no longer wait. */
  const settleDocuments = async (documents: readonly WaitingReceiptDocument[]) => {
    const { missing: absent, refused } = await applyPresent(notifications, documents)
    const retracted = await findRetracted(absent.map(({ key }) => key))
    const missing = new Set(absent.filter(({ key }) => !retracted.has(hex(key))))
    const dropped = await findErased([...missing])
    for (const erased of dropped) missing.delete(erased)
    const settled = new Set(documents.filter((document) => !missing.has(document) && !refused.has(document)))
    const filter = { _id: { $in: [...settled].map(({ _id }) => _id) } }
    if (settled.size > 0) await writeAll(waiting, [{ deleteMany: { filter } }])
    return { settled, dropped, missing: [...missing], refused }
  }

  return {
    async apply(receipts, context) {
      const documents = receipts.map((receipt) => toWaiting(receipt, context))
      // A failure may have left a waiting document for a redelivered receipt that was applied. It is deleted here, too.
      const first = await settleDocuments(documents)
      const unsaved = new Map(first.refused)
      const { duplicates, refused } = await insertNew(waiting, first.missing)
      if (duplicates > 0) await takeOver(waiting, first.missing, context)
      // The notification may have been stored meanwhile, before this receipt was visible to `settle`.
      const then = await settleDocuments(first.missing)
      for (const { document, reason } of refused) if (!then.settled.has(document)) unsaved.set(document, reason)
      for (const [document, reason] of then.refused) unsaved.set(document, reason)
      return {
        waiting: then.missing.filter((document) => !unsaved.has(document)).length,
        dropped: first.dropped.length + then.dropped.length,
        refused: [...unsaved].map(([document, reason]) => ({
          document: receipts[documents.indexOf(document)] as Receipt,
          reason,
        })),
      }
    },
    findKeys: (stored, find) => keysWithWaiting(waiting, stored, find),
    async settle(keys) {
      for (const batch of inBatches(keys, keysPerQuery)) {
        for (let reads = 0; reads < readsPerBatch; reads++) {
          const documents = await waiting.find({ key: { $in: batch } }, waitingOptions).toArray()
          const inOrder = documents.toSorted((one, other) => one.at.getTime() - other.at.getTime())
          const { settled } = await settleDocuments(inOrder)
          // Settled receipts are deleted, so the next read returns others.
          if (documents.length < receiptsPerQuery || settled.size === 0) break
        }
      }
    },
    claimOverdue: (claim) =>
      claimOverdue(waiting, claim, async (documents) => (await settleDocuments(documents)).settled),
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
  await writeAll(waiting, [{ updateMany: { filter: { _id: { $in: ids }, group: { $ne: group } }, update: change } }])
}

/** There are rarely any, so this is checked first; unless they are few, the keys are only sent if many receipts wait. */
async function keysWithWaiting(waiting: WaitingReceipts, stored: readonly Recipients[], find: FindFew) {
  const isFew = stored.reduce((sum, { recipientIds }) => sum + recipientIds.length, 0) <= fewKeys
  const keysOf = () =>
    stored.flatMap(({ subscriberId, recipientIds, id }) =>
      recipientIds.map((recipientId) => toKey(subscriberId, recipientId, id)),
    )
  const filter = isFew ? { key: { $in: keysOf() } } : {}
  const some = await find(waiting, { filter, projection: { key: 1 }, limit: keysPerQuery + 1 })
  if (some.length === 0) return []
  const keys = keysOf()
  if (some.length > keysPerQuery) return keys
  const waitingKeys = new Set(some.map(({ key }) => hex(key)))
  return keys.filter((key) => waitingKeys.has(hex(key)))
}

/** The notification's time, or that of the receipt if it is earlier or the id contains none. */
/** A receipt goes with its notification: one that an erasure leaves keeps them, however old their own time is. */
function toPerson({ key, at }: WaitingReceiptDocument) {
  const { subscriberId, recipientId, id } = idsIn(key)
  const createdAt = new Date(timeOfUuidV7(id) ?? at)
  return { subscriberId, createdAt, personIds: [recipientId] }
}
