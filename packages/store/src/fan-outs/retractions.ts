import { bytesToUuid, limits } from '@herald/contracts'
import type { Binary, Collection } from 'mongodb'
import { toKey, toUuidBinary } from '../binary.ts'
import { type InsertOutcome, insertNew } from '../insert-new.ts'
import { keyRange } from '../reading/id-range.ts'
import { readLimits } from '../reading/read-limits.ts'
import type { FanOutDocument } from './fan-out-document.ts'
import { inBatches } from './in-batches.ts'
import { bytesIn } from './recipient-list.ts'
import type { TakeBack } from './take-back.ts'
import type { TombstoneDocument } from './tombstone-document.ts'
import { advanceHeads, type TombstoneHead } from './tombstone-heads.ts'
import { isInTime, type Retraction, type RetractionTarget, toTombstone } from './tombstones.ts'

export type Retractions = {
  /**
   * Takes back what each retraction names, and what it names and is stored later. Returns once everything that was
   * stored before is gone. A retry continues where the previous one ended; a replay finds it done.
   */
  apply(retractions: readonly Retraction[]): Promise<Pick<InsertOutcome<Retraction>, 'refused'>>
  /** The actor of a notification that was ever stored, retracted or not; `null` if there is none. */
  actorOf(notification: { readonly subscriberId: string; readonly notificationId: string }): Promise<string | null>
}

/** Makes stored tombstones known, and takes back what those of one notification name. */
export type CarryOut = (open: readonly TombstoneDocument[]) => Promise<void>

export type RetractionsDependencies = {
  readonly tombstones: Collection<TombstoneDocument>
  /** The same collection. */
  readonly heads: Collection<TombstoneHead>
  readonly fanOuts: Collection<FanOutDocument>
  readonly takeBack: TakeBack
}

/** A step ends when its fan-outs have this many recipients together. */
const step = { fanOuts: 500, recipientBytes: 20_000 * 16 } as const
const retractionsPerStep = 50

type ByLocation = Retraction & { readonly target: Extract<RetractionTarget, { locationId: string }> }
type Found = Pick<FanOutDocument, '_id' | 'createdAt' | 'via'> & { readonly bytes: number }
type Step = { readonly found: readonly Found[]; readonly isLast: boolean }

const isByLocation = (retraction: Retraction): retraction is ByLocation => 'locationId' in retraction.target
/** The target of a retraction by id has 32 bytes; one by location is longer. */
const isOfOne = ({ target }: TombstoneDocument) => target.length() === 32
const keyOf = ({ subscriberId, eventId }: Retraction) => toKey(subscriberId, eventId)
const hex = (binary: Binary) => binary.toString('hex')

export function createRetractions({
  tombstones,
  heads,
  fanOuts,
  takeBack,
}: RetractionsDependencies): Retractions & { carryOut: CarryOut } {
  const setDone = (done: readonly TombstoneDocument[]) =>
    tombstones.updateMany(
      { _id: { $in: done.map(({ _id }) => _id) } },
      { $set: { done: true }, $unset: { dueAt: true } },
    )

  /** The next fan-outs of a location in time order, without their recipients. */
  async function nextOf({ subscriberId, target }: ByLocation, until: Date, after: Binary | undefined): Promise<Step> {
    const range = keyRange([subscriberId], { createdTo: until.getTime() + limits.retractionClockMs + 1 })
    const found = await fanOuts
      .find<Found>(
        {
          locationId: toUuidBinary(target.locationId),
          locationType: target.locationType as FanOutDocument['locationType'],
          _id: after === undefined ? range : { ...range, $gt: after },
        },
        {
          ...readLimits,
          hint: 'location',
          projection: { createdAt: 1, via: 1, bytes: { $binarySize: '$recipients' } },
        },
      )
      .sort({ _id: 1 })
      .limit(step.fanOuts)
      .toArray()
    let bytes = 0
    const within = found.filter((fanOut, index) => {
      bytes += fanOut.bytes
      return index === 0 || bytes <= step.recipientBytes
    })
    return { found: within, isLast: within.length === found.length && found.length < step.fanOuts }
  }

  async function takeBackLocation(tombstone: TombstoneDocument, retraction: ByLocation): Promise<void> {
    const { _id, until } = tombstone
    for (let after = tombstone.doneUpTo; ; ) {
      const { found, isLast } = await nextOf(retraction, until, after)
      const concerned = found.filter((fanOut) => isInTime(until, fanOut))
      await takeBack(concerned.map(({ _id: key }) => ({ key, tombstones: [tombstone] })))
      if (isLast) return
      after = found.at(-1)?._id
      await tombstones.updateOne({ _id }, { $set: { doneUpTo: after as Binary } })
    }
  }

  // Done step by step, so that a chunk with much to retract makes progress whenever it is interrupted.
  const carryOut: CarryOut = async (open) => {
    await advanceHeads(heads, open)
    for (const batch of inBatches(open.filter(isOfOne), retractionsPerStep)) {
      await takeBack(batch.map((tombstone) => ({ key: tombstone.target, tombstones: [tombstone] })))
      await setDone(batch)
    }
  }

  return {
    carryOut,
    async apply(retractions) {
      if (retractions.length === 0) return { refused: [] }
      const byKey = new Map(retractions.map((retraction) => [hex(keyOf(retraction)), retraction]))
      const { refused } = await insertNew(tombstones, [...byKey.values()].map(toTombstone))
      const keys = [...byKey.values()].map(keyOf)
      const open = await tombstones.find({ _id: { $in: keys }, done: { $exists: false } }, readLimits).toArray()
      await carryOut(open)
      for (const tombstone of open) {
        const retraction = byKey.get(hex(tombstone._id))
        if (retraction === undefined || !isByLocation(retraction)) continue
        await takeBackLocation(tombstone, retraction)
        await setDone([tombstone])
      }
      return {
        refused: refused.map(({ document, reason }) => ({
          document: byKey.get(hex(document._id)) as Retraction,
          reason,
        })),
      }
    },
    async actorOf({ subscriberId, notificationId }) {
      const key = toKey(subscriberId, notificationId)
      const found = await fanOuts.findOne({ _id: key }, { ...readLimits, projection: { actorId: 1 } })
      return found && bytesToUuid(bytesIn(found.actorId))
    },
  }
}
