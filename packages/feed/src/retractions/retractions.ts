import { limits } from '@herald/contracts'
import {
  advanceHeads,
  byKey,
  greatestId,
  hex,
  type InsertOutcome,
  inBatches,
  insertNew,
  keyRange,
  keysUnder,
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
class RetractionUnfinishedError extends StorageUnavailableError {
  override readonly name = 'RetractionUnfinishedError'
}

export type Retractions = {
  /**
   * Retracts what each retraction names, and what it names and is stored later. Returns once everything that was
   * stored before is deleted. A retry continues where the previous one ended; a replay finds it done.
   */
  apply(retractions: readonly Retraction[]): Promise<RetractionOutcome>
  /**
   * As `apply`, except that it returns soon: what is stored from now on is kept away, but what is stored already and a large one
   * names is left to `goOn`.
   */
  accept(retractions: readonly Retraction[]): Promise<RetractionOutcome>
  /** The next subscriber behind this one of whom something was left. */
  nextLeft(behind?: string): Promise<string | undefined>
  /** Goes on for a while with what was left. Returns how many are done now, and why MongoDB refused some. */
  goOn(subscriberId: string): Promise<{ readonly done: number; readonly refused: readonly string[] }>
  /** The actor of a notification that was ever stored, retracted or not; `null` if there is none. */
  actorOf(notification: { readonly subscriberId: string; readonly notificationId: string }): Promise<string | null>
}

type RetractionOutcome = Pick<InsertOutcome<Retraction>, 'refused'>

/** Retracts what stored tombstones name, or continues. Returns those it has come to in time, and those that MongoDB refused. */
export type RetractBy = (open: readonly TombstoneDocument[], pace?: Pace) => Promise<Outcome>
type Outcome = { readonly retracted: readonly TombstoneDocument[]; readonly refused: Refused }

export type RetractionsDependencies = Pick<FeedCollections, 'tombstones' | 'tombstoneHeads' | 'fanOuts'> & {
  readonly retractFromFanOuts: RetractFromFanOuts
  readonly eraseFromTombstones: (stored: readonly TombstoneDocument[]) => Promise<void>
  readonly clock?: MonotonicClock | undefined
}

type Refused = Map<TombstoneDocument, string>

/** A step ends when its fan-outs have so many recipients together; one that has more is a step of its own. */
const step = { fanOuts: 500, retractions: 50, recipientBytes: 1_000 * 16 } as const
/**
 * After that time no further step begins, and none that is larger. What is repeated by those who called begins anew where MongoDB
 * refused something, so that they learn of it again.
 */
type Pace = { readonly withinMs: number; readonly largestBytes: number; readonly isRepeated: boolean }
const unhurried: Pace = { withinMs: 2_000, largestBytes: Infinity, isRepeated: true }
const ofLeft: Pace = { withinMs: 1_000, largestBytes: Infinity, isRepeated: false }
/** The events of other partitions, which were fetched with a retraction, wait for it. */
const inChunk: Pace = { withinMs: 250, largestBytes: step.recipientBytes, isRepeated: false }
const leftPerStep = 50
const left = { unfinished: true } as const
const inOrder = { ...readLimits, hint: 'unfinished', sort: { unfinished: 1, _id: 1 } } as const

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
        ? [{ $set: done }, { $unset: ['doneUpTo', 'unfinished'] }]
        : { $unset: { dueAt: true, doneUpTo: true, unfinished: true } as const }
      return { updateMany: { filter: { _id: { $in: some.map(({ _id }) => _id) } }, update } }
    })
    await writeAll(tombstones, updates)
  }

  async function fanOutsOf(ofOne: readonly TombstoneDocument[]) {
    const keys = { _id: { $in: ofOne.map(({ target }) => target) } }
    return byKey(await fanOuts.find<Found>(keys, { ...readLimits, projection }).toArray())
  }

  /** The next fan-outs of a location in time order, without their recipients. */
  function nextOf({ _id: key, target, until }: TombstoneDocument, after: Binary | undefined): Promise<Found[]> {
    const range = keyRange([uuidIn(key)], { createdTo: until.getTime() + limits.retractionClockMs + 1 })
    const where = { ...locationIn(target), _id: after === undefined ? range : { ...range, $gt: after } }
    const options = { ...readLimits, hint: 'location', sort: { _id: 1 }, limit: step.fanOuts, projection } as const
    return fanOuts.find<Found>(where, options).toArray()
  }

  /** @returns `false` if it ran out of time */
  async function retractLocation(covering: readonly TombstoneDocument[], { refused, isOver, isRepeated }: Attempt) {
    const tombstone = covering[0] as TombstoneDocument
    const sizeOf = (fanOut: Found) => bytesConcerned(tombstone, fanOut)
    for (let after = tombstone.doneUpTo; !isOver(0); ) {
      const found = await nextOf(tombstone, after)
      for (const some of inBatches(found, step.fanOuts, { bytes: step.recipientBytes, sizeOf })) {
        if (isOver(sumOf(some, sizeOf))) return false
        const concerned = some.filter((fanOut) => isInTime(tombstone.until, fanOut))
        const reasons = await retractFromFanOuts(concerned.map(({ _id }) => toRetract(_id, tombstone)))
        for (const reason of reasons.values()) for (const one of covering) refused.set(one, reason)
        after = some.at(-1)?._id as Binary
        if (isRepeated && refused.has(tombstone)) continue
        const update = { $set: { doneUpTo: after } }
        await writeAll(tombstones, [{ updateOne: { filter: { _id: tombstone._id }, update } }])
      }
      if (found.length < step.fanOuts) return true
    }
    return false
  }

  // Done step by step, so that a chunk with much to retract makes progress whenever it is interrupted.
  const retractBy: RetractBy = async (open, { withinMs, largestBytes, isRepeated } = unhurried) => {
    const refused: Refused = new Map()
    const retracted: TombstoneDocument[] = []
    const endsAt = clock() + withinMs
    // Refused retractions are tried again with each retry, so the others must not depend on how long they take.
    const isOver = (bytes: number) => bytes > largestBytes || (!(isRepeated && refused.size > 0) && clock() >= endsAt)
    const fresh = open.filter(({ done }) => !done)
    await advanceHeads(tombstoneHeads, fresh)
    const ofOne = open.filter(isOfOne)
    const found = ofOne.length === 0 ? new Map<string, Found>() : await fanOutsOf(ofOne)
    const sizeOf = (one: TombstoneDocument) => bytesConcerned(one, found.get(hex(one.target)))
    for (const batch of inBatches(ofOne, step.retractions, { bytes: step.recipientBytes, sizeOf })) {
      if (isOver(sumOf(batch, sizeOf))) continue
      const reasons = await retractFromFanOuts(batch.map((tombstone) => toRetract(tombstone.target, tombstone)))
      for (const one of batch) if (reasons.has(hex(one.target))) refused.set(one, reasons.get(hex(one.target)) ?? '')
      await setDone(batch, refused)
      retracted.push(...batch)
    }
    for (const covering of coveringOnes(open.filter((one) => !isOfOne(one)))) {
      if (!(await retractLocation(covering, { refused, isOver, isRepeated }))) continue
      await setDone(covering, refused)
      retracted.push(...covering)
    }
    return { retracted, refused }
  }

  async function retract(retractions: readonly Retraction[], pace: Pace) {
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
    const { retracted, refused } = await retractBy(open, pace)
    const left = open.filter((one) => !retracted.includes(one))
    if (left.length > 0) await leave(left, pace)
    const failed = new Set([...refused.keys()].map(({ _id }) => hex(_id)))
    const isDone = ({ _id }: TombstoneDocument) =>
      !failed.has(hex(_id)) && !left.some((one) => hex(one._id) === hex(_id))
    const replacing = beyond.filter((one) => one.recipients === undefined && isDone(one))
    await deleteReplaced(tombstones, replacing)
    for (const { document, reason } of stored.refused) refused.set(document, reason)
    for (const one of tooMany) refused.set(one, 'The retractions of this notification or location have 1 MiB already')
    return {
      refused: [...refused].map(([{ _id }, reason]) => ({ document: given.get(hex(_id)) as Retraction, reason })),
    }
  }

  /** @throws RetractionUnfinishedError if it is not for others to go on */
  async function leave(left: readonly TombstoneDocument[], pace: Pace): Promise<void> {
    if (pace !== inChunk) throw new RetractionUnfinishedError('Not all of it is retracted yet')
    // Another process may have retracted it meanwhile.
    const filter = { _id: { $in: left.map(({ _id }) => _id) }, done: { $exists: false } }
    await writeAll(tombstones, [{ updateMany: { filter, update: { $set: { unfinished: true as const } } } }])
  }

  return {
    retractBy,
    apply: (retractions) => retract(retractions, unhurried),
    accept: (retractions) => retract(retractions, inChunk),
    async nextLeft(behind) {
      const others = behind === undefined ? left : { ...left, _id: { $gt: toKey(behind, greatestId) } }
      const next = await tombstones.findOne(others, { ...inOrder, projection: { _id: 1 } })
      return next === null ? undefined : uuidIn(next._id)
    },
    async goOn(subscriberId) {
      const own = { ...left, _id: keysUnder([subscriberId], 2) }
      const open = await tombstones.find(own, { ...inOrder, limit: leftPerStep }).toArray()
      const { retracted, refused } = await retractBy(open, ofLeft)
      const fromEveryone = retracted.filter((one) => one.recipients === undefined && !refused.has(one))
      await deleteReplaced(tombstones, await findBeyondBudget(tombstones, fromEveryone))
      return { done: retracted.length, refused: [...refused.values()] }
    },
    async actorOf({ subscriberId, notificationId }) {
      const key = toKey(subscriberId, notificationId)
      const found = await fanOuts.findOne({ _id: key }, { ...readLimits, projection: { actorId: 1 } })
      return found && uuidIn(found.actorId)
    },
  }
}

/** The bytes of the recipients of a fan-out whom a tombstone may concern. */
const bytesConcerned = ({ recipients }: TombstoneDocument, fanOut: Found | undefined): number =>
  Math.min(fanOut?.bytes ?? 0, recipients?.length() ?? Infinity)

const sumOf = <T>(items: readonly T[], sizeOf: (item: T) => number) => items.reduce((sum, one) => sum + sizeOf(one), 0)

/** `isOver`: whether no step with so many bytes of recipients is to begin any more. */
type Attempt = Pick<Pace, 'isRepeated'> & { readonly refused: Refused; readonly isOver: (bytes: number) => boolean }

/** Yields the tombstones of locations, the latest first: one that names nobody covers all earlier ones. */
function* coveringOnes(ofLocations: readonly TombstoneDocument[]): Generator<TombstoneDocument[]> {
  for (const ofOne of Map.groupBy(ofLocations, ({ target }) => hex(target)).values()) {
    const left = ofOne.toSorted((one, other) => other.until.getTime() - one.until.getTime())
    while (left[0]) yield left.splice(0, left[0].recipients === undefined ? left.length : 1)
  }
}
