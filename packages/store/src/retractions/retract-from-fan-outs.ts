import { limits } from '@herald/contracts'
import { Binary } from 'mongodb'
import { inBatches, readInBatches } from '../documents/batches.ts'
import { byKey, hex } from '../documents/binary.ts'
import type { Collections } from '../documents/collections.ts'
import {
  type Announcing,
  type FanOutDocument,
  type RetractionNote,
  recipientKeys,
  removedPositions,
} from '../documents/fan-out-document.ts'
import { bytesIn, encodePositions, positionsOf } from '../documents/recipient-list.ts'
import { recipientsOf, type TombstoneDocument } from '../documents/tombstone-document.ts'
import { readLimits } from '../reading/read-limits.ts'
import { writeEach } from '../writing/write-each.ts'
import type { RemoveRetracted } from './remove-retracted.ts'

type ToRetract = { readonly key: Binary; readonly tombstone: TombstoneDocument }
type Batch = readonly { readonly key: Binary; readonly tombstones: readonly TombstoneDocument[] }[]

/** Why MongoDB refused to change some fan-outs, by their keys as text. */
export type RefusedFanOuts = ReadonlyMap<string, string>

/**
 * Retracts notifications: notes in each fan-out from whom, then deletes the notifications. Deletes them even if the fan-out
 * has the note already, because a crash may have come between, and if it cannot be noted. Repeating it changes nothing.
 */
export type RetractFromFanOuts = (targets: Iterable<ToRetract> | AsyncIterable<ToRetract>) => Promise<RefusedFanOuts>

/** Fan-outs have at most 180 KB each, and a note for each retraction. */
const perBatch = { fanOuts: 50, bytes: 4 * 1024 * 1024 } as const
const sizeOf = ({ tombstone }: ToRetract) => tombstone.recipients?.length() ?? 0

export type RetractFromFanOutsDependencies = Pick<Collections, 'fanOuts'> & {
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
      const updates = batch.flatMap(({ key, tombstones }) => {
        const document = refused.has(hex(key)) ? undefined : found.get(hex(key))
        const notes = document ? newNotes(document, tombstones, announcing) : []
        if (notes.length === 0) return []
        // Another process may append meanwhile: then the next note exists, and the document is read again.
        const next = `retractions.${document?.retractions?.length ?? 0}`
        const announced = notes.filter(({ unannounced }) => unannounced !== undefined)
        tooOld += notes.length - announced.length
        const update = {
          $push: { retractions: { $each: notes } },
          ...(announcing && announced.length > 0 ? { $set: { announceAt: announcing.now() } } : {}),
        }
        return [{ updateOne: { filter: { _id: key, [next]: { $exists: false } }, update } }]
      })
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
        tombstones: ofOne.map(({ tombstone }) => tombstone),
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
  const recipients = bytesIn(document.recipients)
  return tombstones.flatMap((tombstone) => {
    const named = positionsOf(recipients, recipientsOf(tombstone))
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
  for (const { key, tombstones } of batch) {
    const document = found.get(hex(key))
    if (document === undefined) continue
    const recipients = bytesIn(document.recipients)
    const isRemoved = removed.get(hex(key)) ?? new Uint8Array(recipients.length / 16)
    removed.set(hex(key), isRemoved)
    for (const tombstone of tombstones) {
      const positions = positionsOf(recipients, recipientsOf(tombstone)).filter((position) => !isRemoved[position])
      for (const position of positions) isRemoved[position] = 1
      yield* recipientKeys(document, positions)
    }
  }
}
