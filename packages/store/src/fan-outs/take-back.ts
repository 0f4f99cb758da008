import { Binary, type Collection } from 'mongodb'
import type { Announcing } from '../announcements/announcing.ts'
import { readLimits } from '../reading/read-limits.ts'
import { type FanOutDocument, gonePositions, type TakenBack } from './fan-out-document.ts'
import { inBatches } from './in-batches.ts'
import { bytesIn, encodePositions, positionsOf } from './recipient-list.ts'
import { type RemoveRetracted, recipientKeys } from './remove-retracted.ts'
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
const hex = (binary: Binary) => binary.toString('hex')

export type TakeBackDependencies = {
  readonly fanOuts: Collection<FanOutDocument>
  readonly removeRetracted: RemoveRetracted
  /** Nothing is announced without it. */
  readonly announcing?: Announcing | undefined
}

export function createTakeBack({ fanOuts, removeRetracted, announcing }: TakeBackDependencies): TakeBack {
  const note = async (batch: readonly ToTakeBack[]): Promise<FanOutDocument[]> => {
    const keys = batch.map(({ key }) => key)
    for (;;) {
      const documents = await fanOuts.find({ _id: { $in: keys } }, readLimits).toArray()
      const byKey = new Map(documents.map((document) => [hex(document._id), document]))
      let tooOld = 0
      const updates = batch.flatMap(({ key, tombstones }) => {
        const document = byKey.get(hex(key))
        const entries = document ? newEntries(document, tombstones, announcing) : []
        if (entries.length === 0) return []
        // Another process may append meanwhile: then the next entry exists, and the document is read again.
        const next = `takenBack.${document?.takenBack?.length ?? 0}`
        const announced = entries.filter(({ unannounced }) => unannounced !== undefined)
        tooOld += entries.length - announced.length
        const change = {
          $push: { takenBack: { $each: entries } },
          ...(announcing && announced.length > 0 ? { $set: { announceAt: announcing.now() } } : {}),
        }
        return [{ updateOne: { filter: { _id: key, [next]: { $exists: false } }, update: change } }]
      })
      if (updates.length === 0) return documents
      const { matchedCount } = await fanOuts.bulkWrite(updates, { ordered: false })
      if (matchedCount < updates.length) continue
      if (tooOld > 0) announcing?.onTooOld(tooOld)
      return documents
    }
  }

  return async (targets) => {
    for (const batch of inBatches(targets, fanOutsPerBatch)) {
      const documents = await note(batch)
      await removeRetracted(keysToRemove(batch, documents))
    }
  }
}

/** An entry for each tombstone that takes the notification back from recipients who still have it. */
function newEntries(
  document: FanOutDocument,
  tombstones: readonly TombstoneDocument[],
  announcing: Announcing | undefined,
): TakenBack[] {
  const gone = gonePositions(document)
  const recipients = bytesIn(document.recipients)
  return tombstones.flatMap((tombstone) => {
    const named = positionsOf(recipients, recipientsOf(tombstone))
    const positions = named.filter((position) => !gone.has(position))
    if (positions.length === 0) return []
    for (const position of positions) gone.add(position)
    const { time, traceparent } = tombstone
    const by = new Binary(bytesIn(tombstone._id).subarray(16), Binary.SUBTYPE_UUID)
    const entry: TakenBack = { by, at: time, positions: new Binary(encodePositions(positions)) }
    if (named.length > positions.length) entry.named = new Binary(encodePositions(named))
    if (announcing?.isRecent(time)) entry.unannounced = traceparent === undefined ? {} : { traceparent }
    return [entry]
  })
}

function* keysToRemove(batch: readonly ToTakeBack[], documents: readonly FanOutDocument[]): Generator<Binary> {
  const byKey = new Map(documents.map((document) => [hex(document._id), document]))
  for (const { key, tombstones } of batch) {
    const document = byKey.get(hex(key))
    if (document === undefined) continue
    const recipients = bytesIn(document.recipients)
    const positions = new Set(tombstones.flatMap((tombstone) => positionsOf(recipients, recipientsOf(tombstone))))
    yield* recipientKeys(document, positions)
  }
}
