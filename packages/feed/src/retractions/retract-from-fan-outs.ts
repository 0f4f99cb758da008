import { setImmediate as nextTurn } from 'node:timers/promises'
import { limits } from '@herald/contracts'
import { byKey, hex, inBatches, readInBatches, readLimits, writeEach } from '@herald/mongo'
import { Binary } from 'mongodb'
import type { FeedCollections } from '../documents/collections.ts'
import {
  type Announcing,
  type FanOutDocument,
  type RetractionNote,
  recipientKeys,
  removedPositions,
} from '../documents/fan-out-document.ts'
import { bytesIn, createPositionsIn, encodePositions, type RecipientList } from '../documents/recipient-list.ts'
import { recipientsOf, type TombstoneDocument } from '../documents/tombstone-document.ts'
import type { RemoveRetracted } from './remove-retracted.ts'
import type { ToRetract } from './tombstones.ts'

type Batch = readonly Pick<ToRetract, 'key' | 'tombstonesFor'>[]

/** Why MongoDB refused to change some fan-outs, by their keys as text. */
export type RefusedFanOuts = ReadonlyMap<string, string>

/**
 * Retracts notifications: notes in each fan-out from whom, then deletes the notifications. Deletes them even if the fan-out
 * has the note already, because a crash may have come between, and if it cannot be noted. Repeating it changes nothing.
 */
export type RetractFromFanOuts = (targets: Iterable<ToRetract> | AsyncIterable<ToRetract>) => Promise<RefusedFanOuts>

/** Fan-outs have at most 180 KB each, and a note for each retraction. */
const perBatch = { fanOuts: 50, bytes: 4 * 1024 * 1024 } as const
const sizeOf = ({ bytes }: ToRetract) => bytes

/** The retraction of a fan-out by one tombstone. */
export const toRetract = (key: Binary, tombstone: TombstoneDocument): ToRetract => ({
  key,
  tombstonesFor: () => [tombstone],
  bytes: tombstone.recipients?.length() ?? 0,
})

export type RetractFromFanOutsDependencies = Pick<FeedCollections, 'fanOuts'> & {
  readonly removeRetracted: RemoveRetracted
  readonly announcing?: Announcing | undefined
}

export function createRetractFromFanOuts(dependencies: RetractFromFanOutsDependencies): RetractFromFanOuts {
  const { fanOuts, removeRetracted, announcing } = dependencies

  const note = async (batch: Batch, refused: Map<string, string>): Promise<FanOutDocument[]> => {
    const keys = batch.map(({ key }) => key)
    for (;;) {
      const documents = await fanOuts.find({ _id: { $in: keys } }, readLimits).toArray()
      const found = byKey(documents)
      let tooOld = 0
      const updates = []
      for (const { key, tombstonesFor } of batch) {
        const document = refused.has(hex(key)) ? undefined : found.get(hex(key))
        if (document === undefined) continue
        await nextTurn()
        const notes = newNotes(document, tombstonesFor(bytesIn(document.recipients)), announcing)
        if (notes.length === 0) continue
        // Another process may append meanwhile: then the next note exists, and the document is read again.
        const next = `retractions.${document?.retractions?.length ?? 0}`
        const announced = notes.filter(({ unannounced }) => unannounced !== undefined)
        tooOld += notes.length - announced.length
        const update = {
          $push: { retractions: { $each: notes } },
          ...(announcing && announced.length > 0 ? { $set: { announceAt: announcing.now() } } : {}),
        }
        updates.push({ updateOne: { filter: { _id: key, [next]: { $exists: false } }, update } })
      }
      const outcome = await writeEach(fanOuts, updates)
      for (const { document, reason } of outcome.refused) refused.set(hex(document.updateOne.filter._id), reason)
      if (outcome.matched + outcome.refused.length < updates.length) continue
      if (tooOld > 0) announcing?.onTooOld(tooOld)
      return documents
    }
  }

  return async (targets) => {
    const refused = new Map<string, string>()
    const removed: RemovedPositions = new Map()
    for await (const some of readInBatches(targets, perBatch.fanOuts, { bytes: perBatch.bytes, sizeOf })) {
      const byFanOut = Map.groupBy(some, ({ key }) => hex(key))
      const batch = [...byFanOut.values()].map((ofOne) => ({
        key: (ofOne[0] as ToRetract).key,
        tombstonesFor: (recipients: RecipientList) => ofOne.flatMap((one) => one.tombstonesFor(recipients)),
      }))
      const documents = await note(batch, refused)
      await removeRetracted(keysToRemove(batch, documents, removed))
    }
    return refused
  }
}

/** A note for each tombstone that retracts the notification from recipients who still have it. */
function newNotes(
  document: FanOutDocument,
  tombstones: readonly TombstoneDocument[],
  announcing: Announcing | undefined,
): RetractionNote[] {
  const removed = removedPositions(document)
  const positionsIn = createPositionsIn(bytesIn(document.recipients))
  return tombstones.flatMap((tombstone) => {
    const named = positionsIn(recipientsOf(tombstone))
    const positions = named.filter((position) => !removed.has(position))
    if (positions.length === 0) return []
    const { time, traceparent } = tombstone
    const note: RetractionNote = {
      by: new Binary(bytesIn(tombstone._id).subarray(16), Binary.SUBTYPE_UUID),
      at: time,
      positions: new Binary(encodePositions(positions)),
    }
    if (announcing?.isRecent(time)) {
      note.unannounced = traceparent === undefined ? {} : { traceparent }
      if (named.length > positions.length) {
        const parts = inBatches(named, limits.announcedRecipients)
        const counts = [...parts].map((part) => part.filter((position) => !removed.has(position)).length)
        note.perPart = new Binary(encodePositions(counts))
      }
    }
    for (const position of positions) removed.add(position)
    return [note]
  })
}

/** A flag per recipient, by fan-out: each is removed once, however many retractions name them. */
type RemovedPositions = Map<string, Uint8Array>

function* keysToRemove(
  batch: Batch,
  documents: readonly FanOutDocument[],
  removed: RemovedPositions,
): Generator<Binary> {
  const found = byKey(documents)
  for (const { key, tombstonesFor } of batch) {
    const document = found.get(hex(key))
    if (document === undefined) continue
    const recipients = bytesIn(document.recipients)
    const positionsIn = createPositionsIn(recipients)
    const isRemoved = removed.get(hex(key)) ?? new Uint8Array(recipients.length / 16)
    removed.set(hex(key), isRemoved)
    for (const tombstone of tombstonesFor(recipients)) {
      const positions = positionsIn(recipientsOf(tombstone)).filter((position) => !isRemoved[position])
      for (const position of positions) isRemoved[position] = 1
      yield* recipientKeys(document, positions)
    }
  }
}
