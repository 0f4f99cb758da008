import { Binary, type Collection } from 'mongodb'
import type { NotificationDocument } from '../notifications/notification-document.ts'
import { readLimits } from '../reading/read-limits.ts'
import { type FanOutDocument, type TakenBack, takenBackPositions } from './fan-out-document.ts'
import { inBatches } from './in-batches.ts'
import { bytesIn, encodePositions, positionsOf, recipientAt } from './recipient-list.ts'
import type { TombstoneDocument } from './tombstone-document.ts'
import { recipientsOf } from './tombstones.ts'

/** A fan-out and the tombstones that apply to it. */
type ToTakeBack = { readonly key: Binary; readonly tombstones: readonly TombstoneDocument[] }

/**
 * Takes notifications back: notes in each fan-out from whom, then deletes the notifications. Deletes them even if the
 * fan-out has the note already, because a crash may have come between. Repeating it changes nothing.
 */
export type TakeBack = (targets: Iterable<ToTakeBack>) => Promise<void>

/** Of at most 180 KB each. */
const fanOutsPerBatch = 50
const deletesPerBatch = 1_000
const hex = (binary: Binary) => binary.toString('hex')

export type TakeBackDependencies = {
  readonly fanOuts: Collection<FanOutDocument>
  readonly notifications: Collection<NotificationDocument>
}

export function createTakeBack({ fanOuts, notifications }: TakeBackDependencies): TakeBack {
  const note = async (batch: readonly ToTakeBack[]): Promise<FanOutDocument[]> => {
    const keys = batch.map(({ key }) => key)
    for (;;) {
      const documents = await fanOuts.find({ _id: { $in: keys } }, readLimits).toArray()
      const byKey = new Map(documents.map((document) => [hex(document._id), document]))
      const updates = batch.flatMap(({ key, tombstones }) => {
        const document = byKey.get(hex(key))
        const entries = document ? newEntries(document, tombstones) : []
        if (entries.length === 0) return []
        // Another process may append meanwhile: then the next entry exists, and the document is read again.
        const next = `takenBack.${document?.takenBack?.length ?? 0}`
        const change = { $push: { takenBack: { $each: entries } } }
        return [{ updateOne: { filter: { _id: key, [next]: { $exists: false } }, update: change } }]
      })
      if (updates.length === 0) return documents
      const { matchedCount } = await fanOuts.bulkWrite(updates, { ordered: false })
      if (matchedCount === updates.length) return documents
    }
  }

  const remove = async (keys: readonly Binary[]): Promise<void> => {
    // Followers cannot tell a deletion from an expiry, so the document says first why it is deleted.
    const change = { $set: { retracted: true }, $unset: { unread: true } } as const
    const { matchedCount } = await notifications.bulkWrite(
      keys.map((_id) => ({ updateOne: { filter: { _id }, update: change } })),
      { ordered: false },
    )
    if (matchedCount === 0) return
    await notifications.bulkWrite(
      keys.map((_id) => ({ deleteOne: { filter: { _id, retracted: true } } })),
      { ordered: false },
    )
  }

  return async (targets) => {
    for (const batch of inBatches(targets, fanOutsPerBatch)) {
      const documents = await note(batch)
      for (const keys of inBatches(keysToRemove(batch, documents), deletesPerBatch)) await remove(keys)
    }
  }
}

/** An entry for each tombstone that takes the notification back from recipients who still have it. */
function newEntries(document: FanOutDocument, tombstones: readonly TombstoneDocument[]): TakenBack[] {
  const gone = takenBackPositions(document)
  const recipients = bytesIn(document.recipients)
  return tombstones.flatMap((tombstone) => {
    const positions = positionsOf(recipients, recipientsOf(tombstone)).filter((position) => !gone.has(position))
    if (positions.length === 0) return []
    for (const position of positions) gone.add(position)
    const by = new Binary(bytesIn(tombstone._id).subarray(16), Binary.SUBTYPE_UUID)
    return [{ by, at: tombstone.time, positions: new Binary(encodePositions(positions)) }]
  })
}

function* keysToRemove(batch: readonly ToTakeBack[], documents: readonly FanOutDocument[]): Generator<Binary> {
  const byKey = new Map(documents.map((document) => [hex(document._id), document]))
  for (const { key, tombstones } of batch) {
    const document = byKey.get(hex(key))
    if (document === undefined) continue
    const recipients = bytesIn(document.recipients)
    const positions = new Set(tombstones.flatMap((tombstone) => positionsOf(recipients, recipientsOf(tombstone))))
    const [subscriber, id] = [bytesIn(key).subarray(0, 16), bytesIn(key).subarray(16)]
    for (const position of positions) {
      yield new Binary(Buffer.concat([subscriber, recipientAt(recipients, position), id]))
    }
  }
}
