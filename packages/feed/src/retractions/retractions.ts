import { limits } from '@herald/contracts'
import {
  advanceHeads,
  byKey,
  hex,
  type InsertOutcome,
  inBatches,
  insertNew,
  keyRange,
  lookAgainMs,
  type MonotonicClock,
  ownClock,
  readLimits,
  StorageUnavailableError,
  toKey,
  uuidIn,
  writeAll,
} from '@herald/mongo'
import type { Binary } from 'mongodb'
import type { FeedCollections } from '../documents/collections.ts'
import type { FanOutDocument } from '../documents/fan-out-document.ts'
import {
  isInTime,
  isOfOne,
  locationIn,
  type Retraction,
  type TombstoneDocument,
  toTombstone,
} from '../documents/tombstone-document.ts'
import { type RetractFromFanOuts, toRetract } from './retract-from-fan-outs.ts'
import { deleteReplaced, findBeyondBudget } from './target-budget.ts'

/** A retraction concerns more than is retracted in one go. The same retraction continues where this one stopped. */
export class RetractionUnfinishedError extends StorageUnavailableError {
  override readonly name = 'RetractionUnfinishedError'
}

export type Retractions = {
  /**
   * Retracts what each retraction names, and what it names and is stored later. Returns once everything that was
   * stored before is deleted. A retry continues where the previous one ended; a replay finds it done.
   */
  apply(retractions: readonly Retraction[]): Promise<Pick<InsertOutcome<Retraction>, 'refused'>>
  /** The actor of a notification that was ever stored, retracted or not; `null` if there is none. */
  actorOf(notification: { readonly subscriberId: string; readonly notificationId: string }): Promise<string | null>
}

/** Retracts what stored tombstones name, or continues. Returns those it has come to in time, and those that MongoDB refused. */
export type RetractBy = (open: readonly TombstoneDocument[]) => Promise<Outcome>
type Outcome = { readonly retracted: readonly TombstoneDocument[]; readonly refused: Refused }

export type RetractionsDependencies = Pick<FeedCollections, 'tombstones' | 'tombstoneHeads' | 'fanOuts'> & {
  readonly retractFromFanOuts: RetractFromFanOuts
  readonly eraseFromTombstones: (stored: readonly TombstoneDocument[]) => Promise<void>
  readonly clock?: MonotonicClock | undefined
}

type Refused = Map<TombstoneDocument, string>

/** A step ends when its fan-outs have so many recipients together. */
const step = { fanOuts: 500, retractions: 50, recipientBytes: 20_000 * 16 } as const
/** After that no further step begins: the events of other partitions, which were fetched with a retraction, wait for it. */
const retractWithinMs = 2_000

type Found = Pick<FanOutDocument, '_id' | 'createdAt' | 'via'> & { readonly bytes: number }
const projection = { createdAt: 1, via: 1, bytes: { $binarySize: '$recipients' } } as const

const keyOf = ({ subscriberId, eventId }: Retraction) => toKey(subscriberId, eventId)

export function createRetractions(dependencies: RetractionsDependencies): Retractions & { retractBy: RetractBy } {
  const {
    tombstones,
    tombstoneHeads,
    fanOuts,
    retractFromFanOuts,
    eraseFromTombstones,
    clock = ownClock,
  } = dependencies

  /** One that was refused is not done, so that a replay tries again, but it is not due any more. */
  async function setDone(applied: readonly TombstoneDocument[], refused: Refused): Promise<void> {
    const done = { done: true, dueAt: { $add: ['$$NOW', lookAgainMs] } }
    const isFirst = (tombstone: TombstoneDocument) => !tombstone.done && !refused.has(tombstone)
    const updates = [...Map.groupBy(applied, isFirst)].map(([first, some]) => {
      const update = first
        ? [{ $set: done }, { $unset: 'doneUpTo' }]
        : { $unset: { dueAt: true, doneUpTo: true } as const }
      return { updateMany: { filter: { _id: { $in: some.map(({ _id }) => _id) } }, update } }
    })
    await writeAll(tombstones, updates)
  }

  async function fanOutsOf(ofOne: readonly TombstoneDocument[]) {
    const keys = { _id: { $in: ofOne.map(({ target }) => target) } }
    return byKey(await fanOuts.find<Found>(keys, { ...readLimits, projection }).toArray())
  }

  /** The next fan-outs of a location in time order, without their recipients. */
  async function nextOf({ _id: key, target, until }: TombstoneDocument, after: Binary | undefined) {
    const range = keyRange([uuidIn(key)], { createdTo: until.getTime() + limits.retractionClockMs + 1 })
    const where = { ...locationIn(target), _id: after === undefined ? range : { ...range, $gt: after } }
    const options = { ...readLimits, hint: 'location', sort: { _id: 1 }, limit: step.fanOuts, projection } as const
    const found = await fanOuts.find<Found>(where, options).toArray()
    const [within = []] = inBatches(found, step.fanOuts, { bytes: step.recipientBytes, sizeOf: ({ bytes }) => bytes })
    return { found: within, isLast: within.length === found.length && found.length < step.fanOuts }
  }

  /** @returns `false` if it ran out of time */
  async function retractLocation(covering: readonly TombstoneDocument[], refused: Refused, isOver: () => boolean) {
    const tombstone = covering[0] as TombstoneDocument
    for (let after = tombstone.doneUpTo; !isOver(); ) {
      const { found, isLast } = await nextOf(tombstone, after)
      const concerned = found.filter((fanOut) => isInTime(tombstone.until, fanOut))
      const reasons = await retractFromFanOuts(concerned.map(({ _id }) => toRetract(_id, tombstone)))
      for (const reason of reasons.values()) for (const one of covering) refused.set(one, reason)
      if (isLast) return true
      after = found.at(-1)?._id
      const update = { $set: { doneUpTo: after as Binary } }
      // One that was refused starts anew when it is replayed.
      if (!refused.has(tombstone))
        await writeAll(tombstones, [{ updateOne: { filter: { _id: tombstone._id }, update } }])
    }
    return false
  }

  // Done step by step, so that a chunk with much to retract makes progress whenever it is interrupted.
  const retractBy: RetractBy = async (open) => {
    const refused: Refused = new Map()
    const retracted: TombstoneDocument[] = []
    const endsAt = clock() + retractWithinMs
    // Refused retractions are tried again with each retry, so the others must not depend on how long they take.
    const isOver = () => refused.size === 0 && clock() >= endsAt
    const fresh = open.filter(({ done }) => !done)
    await advanceHeads(tombstoneHeads, fresh)
    const ofOne = open.filter(isOfOne)
    const found = ofOne.length === 0 ? new Map<string, Found>() : await fanOutsOf(ofOne)
    const sizeOf = ({ target }: TombstoneDocument) => found.get(hex(target))?.bytes ?? 0
    for (const batch of inBatches(ofOne, step.retractions, { bytes: step.recipientBytes, sizeOf })) {
      if (isOver()) break
      const reasons = await retractFromFanOuts(batch.map((tombstone) => toRetract(tombstone.target, tombstone)))
      for (const one of batch) if (reasons.has(hex(one.target))) refused.set(one, reasons.get(hex(one.target)) ?? '')
      await setDone(batch, refused)
      retracted.push(...batch)
    }
    for (const covering of coveringOnes(open.filter((one) => !isOfOne(one)))) {
      if (!(await retractLocation(covering, refused, isOver))) break
      await setDone(covering, refused)
      retracted.push(...covering)
    }
    return { retracted, refused }
  }

  return {
    retractBy,
    async apply(retractions) {
      if (retractions.length === 0) return { refused: [] }
      const given = new Map(retractions.map((retraction) => [hex(keyOf(retraction)), retraction]))
      const fresh = [...given.values()].map(toTombstone)
      const beyond = await findBeyondBudget(tombstones, fresh)
      const tooMany = beyond.filter(({ recipients }) => recipients !== undefined)
      const stored = await insertNew(
        tombstones,
        fresh.filter((one) => !tooMany.includes(one)),
      )
      const keys = [...given.values()].map(keyOf)
      const open = await tombstones.find({ _id: { $in: keys }, done: { $exists: false } }, readLimits).toArray()
      await eraseFromTombstones(open)
      const { retracted, refused } = await retractBy(open)
      if (retracted.length < open.length) throw new RetractionUnfinishedError('Not all of it is retracted yet')
      const failed = new Set([...refused.keys()].map(({ _id }) => hex(_id)))
      const replacing = beyond.filter(({ _id, recipients }) => recipients === undefined && !failed.has(hex(_id)))
      await deleteReplaced(tombstones, replacing)
      for (const { document, reason } of stored.refused) refused.set(document, reason)
      for (const one of tooMany) refused.set(one, 'The retractions of this notification or location have 1 MiB already')
      return {
        refused: [...refused].map(([{ _id }, reason]) => ({ document: given.get(hex(_id)) as Retraction, reason })),
      }
    },
    async actorOf({ subscriberId, notificationId }) {
      const key = toKey(subscriberId, notificationId)
      const found = await fanOuts.findOne({ _id: key }, { ...readLimits, projection: { actorId: 1 } })
      return found && uuidIn(found.actorId)
    },
  }
}

/** Yields the tombstones of locations, the latest first: one that names nobody covers all earlier ones. */
function* coveringOnes(ofLocations: readonly TombstoneDocument[]): Generator<TombstoneDocument[]> {
  for (const ofOne of Map.groupBy(ofLocations, ({ target }) => hex(target)).values()) {
    const left = ofOne.toSorted((one, other) => other.until.getTime() - one.until.getTime())
    while (left[0]) yield left.splice(0, left[0].recipients === undefined ? left.length : 1)
  }
}
