import { limits } from '@herald/contracts'
import {
  behind,
  createdUpTo,
  greatestId,
  insertNew,
  type KeyRange,
  keyRange,
  keysUnder,
  lastIdOf,
  type MonotonicClock,
  nextRange,
  ownClock,
  readInBatches,
  readLimits,
  toKey,
  toUuidBinary,
  writeAll,
} from '@herald/mongo'
import type { EraseSteps, FindErased, PhaseInput, PhaseOutcome } from '@herald/persons'
import type { Binary, Collection, Filter } from 'mongodb'
import { erasedRequest, type FeedCollections, type FeedErasureDocument } from '../documents/collections.ts'
import { bytesIn, positionIn } from '../documents/recipient-list.ts'
import { eraseRecipients, latestConcerned, type TombstoneDocument } from '../documents/tombstone-document.ts'
import { mutesOfSubscriber, mutesOfTarget } from '../mutes/mute-key.ts'
import { createEraseFromDigests } from './erase-from-digests.ts'
import { type EraseFromFanOuts, mayConcern } from './erase-from-fan-outs.ts'

export type EraseStepsDependencies = FeedCollections & {
  readonly eraseFromFanOuts: EraseFromFanOuts
  readonly now: () => Date
  readonly documentsPerStep?: number | undefined
  readonly clock?: MonotonicClock | undefined
}

const markerKeptMs = 24 * 60 * 60 * 1_000
/** Limits the recipients of a step, which also ends after a time, because each recipient may be an update. */
const bytesPerStep = 16 * 1024 * 1024
const stepMs = 10_000
/** Writes wait for a majority, so few large ones are faster; but one must not take much longer than a step. */
const perWrite = { documents: 250, bytes: 256 * 1024 } as const

type Keyed = { _id: Binary }
/** The size of a document, whether it may contain the person, and how to erase the person from such ones. */
type ScanWork<T> = {
  readonly sizeOf: (document: T) => number
  readonly isConcerned: (document: T) => boolean
  readonly erase: (batch: readonly T[]) => Promise<number>
}
/** The phases of an erasure that concern feeds. */
export function createFeedEraseSteps(dependencies: EraseStepsDependencies): Omit<EraseSteps, 'changes'> {
  const { notifications, bulkMarks, feedErasures, seenMarks, mutes, waitingReceipts, createRequests } = dependencies
  const { fanOuts, tombstones, digests, eraseFromFanOuts, now, documentsPerStep = 5_000 } = dependencies
  const { clock = ownClock } = dependencies
  const eraseFromDigests = createEraseFromDigests(digests)

  /** Deleted documents leave the range, so that every step begins at its start. */
  async function deleteNext<T extends Keyed>(collection: Collection<T>, range: KeyRange, filter: Filter<T> = {}) {
    const next = await nextRange(collection, range, { count: documentsPerStep, filter })
    const { deletedCount } = await collection.deleteMany({ ...filter, _id: next.range } as Filter<T>)
    return { erased: deletedCount, after: next.last }
  }

  async function eraseFeed({ subscriberId, eventId, personId, person: { until } }: PhaseInput): Promise<PhaseOutcome> {
    const feed = await deleteNext(notifications, keyRange([subscriberId, personId], createdUpTo(until)))
    if (feed.after !== undefined) return feed
    await bulkMarks.deleteMany({ _id: keysUnder([subscriberId, personId], 3), at: { $lte: until } })
    await seenMarks.deleteOne({ _id: toKey(subscriberId, personId), upTo: { $lte: toUuidBinary(lastIdOf(until)) } })
    // Followers of the feed learn of it by this document; inserted after the deletion, so that a list fetched then is empty.
    const expiresAt = new Date(now().getTime() + markerKeptMs)
    const erasedUpTo = toUuidBinary(lastIdOf(until))
    const _id = toKey(subscriberId, personId, eventId)
    await insertNew<FeedErasureDocument>(feedErasures, [{ _id, v: 1, erasedUpTo, expiresAt }])
    // The change stream has reported the insert. The key contains the person.
    await feedErasures.deleteOne({ _id })
    return feed
  }

  /** The mutes of the person, of whom there are few, and those of others of the person. */
  async function eraseMutes({ subscriberId, personId, person: { until } }: PhaseInput): Promise<PhaseOutcome> {
    const filter = { setAt: { $lte: until } }
    const own = { ...filter, user: toKey(subscriberId, personId), _id: mutesOfSubscriber(subscriberId) }
    const { deletedCount } = await mutes.deleteMany(own, { hint: 'user' })
    const { erased, after } = await deleteNext(mutes, mutesOfTarget(subscriberId, 'actor', personId), filter)
    return { erased: deletedCount + erased, after }
  }

  function eraseReceipts({ subscriberId, personId, person: { until } }: PhaseInput): Promise<PhaseOutcome> {
    const prefix = [subscriberId, personId]
    // Receipts of notifications that the erasure leaves are applied to them.
    const last = toKey(...prefix, lastIdOf(until), greatestId)
    return deleteNext(waitingReceipts, keysUnder(prefix, 4), { $and: [{ _id: { $lte: last } }] })
  }

  async function eraseRequests({ subscriberId, personId, person, after }: PhaseInput): Promise<PhaseOutcome> {
    const { range, last } = await nextRange(createRequests, behind(after, keysUnder([subscriberId], 4)), {
      count: documentsPerStep,
    })
    const own = keysUnder([subscriberId, personId], 4)
    const { modifiedCount } = await createRequests.updateMany(
      {
        _id: range,
        expiresAt: { $lte: new Date(person.until.getTime() + limits.idempotencyKeptMs) },
        $or: [{ _id: own }, { content: { $regex: personId } }],
        erased: { $exists: false },
      },
      { $set: erasedRequest },
    )
    return { erased: modifiedCount, after: last }
  }

  async function eraseDigests({ subscriberId, personId, person, after }: PhaseInput): Promise<PhaseOutcome> {
    const find: FindErased = (_, id) => (id === personId ? person : undefined)
    const { range, last } = await nextRange(digests, behind(after, keysUnder([subscriberId], 4)), {
      count: documentsPerStep,
    })
    const own = keysUnder([subscriberId, personId], 4)
    const naming = { announceAt: { $exists: true }, data: { $regex: personId } }
    const erased = await eraseFromDigests({ _id: range, $or: [{ _id: own }, naming] }, find)
    return { erased, after: last }
  }

  /** Reads the next documents of a range, because persons are in no index, and erases from those concerned. */
  async function scan<T extends Keyed>(
    collection: Collection<T>,
    range: KeyRange,
    { sizeOf, isConcerned, erase }: ScanWork<T>,
  ): Promise<PhaseOutcome> {
    const found = collection
      .find({ _id: range } as Filter<T>, { ...readLimits, batchSize: 200 })
      .sort({ _id: 1 })
      .limit(documentsPerStep)
    const endsAt = clock() + stepMs
    let [erased, examined, bytes] = [0, 0, 0]
    let after: Binary | undefined
    async function* concerned() {
      for await (const document of found as unknown as AsyncIterable<T>) {
        examined++
        bytes += sizeOf(document)
        if (isConcerned(document)) yield document
        if (examined < documentsPerStep && bytes < bytesPerStep && clock() < endsAt) continue
        after = document._id
        return
      }
    }
    for await (const batch of readInBatches(concerned(), perWrite.documents, { bytes: perWrite.bytes, sizeOf })) {
      erased += await erase(batch)
    }
    return { erased, after }
  }

  function eraseFanOuts({ subscriberId, personId, person, after }: PhaseInput): Promise<PhaseOutcome> {
    const range = keyRange([subscriberId], createdUpTo(person.until))
    const persons = new Map([[personId, person]])
    return scan(fanOuts, behind(after, range), {
      sizeOf: ({ recipients }) => recipients.length(),
      isConcerned: (document) => mayConcern({ document, persons }),
      async erase(batch) {
        const outcome = await eraseFromFanOuts(batch.map((document) => ({ document, persons })))
        const [[key, reason] = []] = outcome.refused
        if (key !== undefined) throw new Error(`MongoDB refused to erase a person from the fan-out ${key}: ${reason}`)
        return outcome.erased
      },
    })
  }

  function eraseTombstones({ subscriberId, personId, person: { until }, after }: PhaseInput): Promise<PhaseOutcome> {
    const positionOf = ({ recipients }: TombstoneDocument) => recipients && positionIn(bytesIn(recipients), personId)
    return scan(tombstones, behind(after, keysUnder([subscriberId], 2)), {
      sizeOf: ({ recipients }) => recipients?.length() ?? 0,
      isConcerned: (tombstone) => latestConcerned(tombstone) <= until && positionOf(tombstone) !== undefined,
      async erase(batch) {
        const updates = batch.map((tombstone) => eraseRecipients(tombstone, [positionOf(tombstone) ?? 0]))
        return (await writeAll(tombstones, updates)).changed
      },
    })
  }

  return {
    feed: eraseFeed,
    mutes: eraseMutes,
    receipts: eraseReceipts,
    requests: eraseRequests,
    'fan-outs': eraseFanOuts,
    tombstones: eraseTombstones,
    digests: eraseDigests,
  }
}
