import { limits, makeUuidV7 } from '@herald/contracts'
import type { Binary, Collection, Filter } from 'mongodb'
import type { DigestDocument } from '../announcements/digest-document.ts'
import { toKey, toUuidBinary } from '../binary.ts'
import type { ChangeEntryDocument } from '../change-entries/change-entry-document.ts'
import type { CreateRequestDocument } from '../create-requests/create-requests.ts'
import type { FanOutDocument } from '../fan-outs/fan-out-document.ts'
import { insertNew } from '../insert-new.ts'
import type { BulkMarkDocument, FeedErasureDocument } from '../notifications/mark-many.ts'
import type { NotificationDocument } from '../notifications/notification-document.ts'
import { keyRange } from '../reading/id-range.ts'
import { readLimits } from '../reading/read-limits.ts'
import type { WaitingReceiptDocument } from '../receipts/waiting-receipt.ts'
import { createEraseFromDigests } from './erase-from-digests.ts'
import { type EraseFromFanOuts, type FanOutToErase, mayConcern } from './erase-from-fan-outs.ts'
import type { ErasedPerson, FindErased } from './erased-persons.ts'
import type { ErasurePhase } from './erasure-document.ts'

/** An erasure, and how far its phase got. */
type PhaseInput = {
  readonly subscriberId: string
  readonly eventId: string
  readonly personId: string
  readonly person: ErasedPerson
  readonly after: Binary | undefined
}

/** `after` is the last key that was examined, `undefined` if the phase is done. */
type PhaseOutcome = { readonly erased: number; readonly after?: Binary | undefined }

/** Does one step of a phase. */
export type EraseStep = (phase: ErasurePhase, input: PhaseInput) => Promise<PhaseOutcome>

export type EraseStepDependencies = {
  readonly notifications: Collection<NotificationDocument>
  readonly bulkMarks: Collection<BulkMarkDocument>
  /** The same collection. */
  readonly feedErasures: Collection<FeedErasureDocument>
  readonly waitingReceipts: Collection<WaitingReceiptDocument>
  readonly createRequests: Collection<CreateRequestDocument>
  readonly changeEntries: Collection<ChangeEntryDocument>
  readonly digests: Collection<DigestDocument>
  readonly fanOuts: Collection<FanOutDocument>
  readonly eraseFromFanOuts: EraseFromFanOuts
  /** Documents per step; fewer in tests. */
  readonly documentsPerStep?: number | undefined
}

const markerKeptMs = 24 * 60 * 60 * 1_000
/** Together with the bytes of recipients, the memory of a step. */
const fanOutBytesPerStep = 16 * 1024 * 1024
/** Writes wait for a majority, so few large ones are faster. */
const perWrite = { fanOuts: 250, bytes: 2 * 1024 * 1024 } as const

const least = '00000000-0000-0000-0000-000000000000'
const greatest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

type Keyed = { _id: Binary }
type Range = { readonly $gte?: Binary; readonly $gt?: Binary; readonly $lt?: Binary; readonly $lte?: Binary }

export function createEraseStep(dependencies: EraseStepDependencies): EraseStep {
  const { notifications, bulkMarks, feedErasures, waitingReceipts, createRequests, changeEntries, fanOuts } =
    dependencies
  const { digests, eraseFromFanOuts, documentsPerStep = 5_000 } = dependencies
  const eraseFromDigests = createEraseFromDigests(digests)

  /** The range of the next documents that match, and whether others follow. */
  async function nextRange<T extends Keyed>(
    collection: Collection<T>,
    range: Range,
    filter: Filter<T> = {},
    hint?: string,
  ): Promise<{ range: Range; last: Binary | undefined }> {
    const last = await collection
      .find({ ...filter, _id: range } as Filter<T>, {
        ...readLimits,
        ...(hint ? { hint } : {}),
        projection: { _id: 1 },
      })
      .sort({ _id: 1 })
      .skip(documentsPerStep - 1)
      .limit(1)
      .next()
    return last ? { range: { ...range, $lte: last._id }, last: last._id } : { range, last: undefined }
  }

  /** Deleted documents leave the range, so that every step begins at its start. */
  async function deleteNext<T extends Keyed>(collection: Collection<T>, range: Range, filter: Filter<T> = {}) {
    const next = await nextRange(collection, range, filter)
    const { deletedCount } = await collection.deleteMany({ ...filter, _id: next.range } as Filter<T>)
    return { erased: deletedCount, after: next.last }
  }

  async function eraseFeed({ subscriberId, eventId, personId, person: { until } }: PhaseInput): Promise<PhaseOutcome> {
    const feed = await deleteNext(notifications, feedUpTo(subscriberId, personId, until))
    if (feed.after !== undefined) return feed
    await bulkMarks.deleteMany({
      _id: { $gte: toKey(subscriberId, personId, least), $lte: toKey(subscriberId, personId, greatest) },
      readAt: { $lte: until },
    })
    // For those who follow the feed; after the deletion, so that a list that is fetched then is empty.
    const expiresAt = new Date(Date.now() + markerKeptMs)
    const erasedUpTo = toUuidBinary(lastIdOf(until))
    const _id = toKey(subscriberId, personId, eventId)
    await insertNew<FeedErasureDocument>(feedErasures, [{ _id, v: 1, erasedUpTo, expiresAt }])
    // They have seen the insert, and the key contains the person.
    await feedErasures.deleteOne({ _id })
    return feed
  }

  function eraseReceipts({ subscriberId, personId, person: { until } }: PhaseInput): Promise<PhaseOutcome> {
    const prefix = [subscriberId, personId]
    const range = { $gte: toKey(...prefix, least, least), $lte: toKey(...prefix, greatest, greatest) }
    const upTo = toKey(...prefix, lastIdOf(until), greatest)
    return deleteNext(waitingReceipts, range, { $or: [{ at: { $lte: until } }, { _id: { $lte: upTo } }] } as never)
  }

  /** The person's own requests, and those of others that name the person. They expire within a day. */
  async function eraseRequests({ subscriberId, personId, person, after }: PhaseInput): Promise<PhaseOutcome> {
    const from = after === undefined ? { $gte: toKey(subscriberId, least, least, least) } : { $gt: after }
    const all = { ...from, $lte: toKey(subscriberId, greatest, greatest, greatest) }
    const { range, last } = await nextRange(createRequests, all)
    const own = {
      $gte: toKey(subscriberId, personId, least, least),
      $lte: toKey(subscriberId, personId, greatest, greatest),
    }
    const { modifiedCount } = await createRequests.updateMany(
      {
        _id: range,
        expiresAt: { $lte: new Date(person.until.getTime() + limits.idempotencyKeptMs) },
        $or: [{ _id: own }, { content: { $regex: personId } }],
        erased: { $exists: false },
      },
      { $set: { content: '', erased: true } },
    )
    return { erased: modifiedCount, after: last }
  }

  async function eraseChanges({ subscriberId, personId, person }: PhaseInput): Promise<PhaseOutcome> {
    const userId = toUuidBinary(personId)
    const all = keyRange([subscriberId], { createdTo: person.until.getTime() + 1 })
    const { range, last } = await nextRange(changeEntries, all, { userId }, 'user')
    const { modifiedCount } = await changeEntries.updateMany(
      { userId, _id: range },
      { $set: { userId: toUuidBinary(person.pseudonym), userName: '', userEmail: '' } },
      { hint: 'user' },
    )
    return { erased: modifiedCount, after: last }
  }

  /** Those of the person, and those of others that wait to be announced and name the person. They contain the text of one notification. */
  async function eraseDigests({ subscriberId, personId, person, after }: PhaseInput): Promise<PhaseOutcome> {
    const find: FindErased = (_, id) => (id === personId ? person : undefined)
    const from = after === undefined ? { $gte: toKey(subscriberId, least, least) } : { $gt: after }
    const all = { ...from, $lte: toKey(subscriberId, greatest, greatest) }
    const { range, last } = await nextRange(digests, all)
    const own = { $gte: toKey(subscriberId, personId, least), $lte: toKey(subscriberId, personId, greatest) }
    const naming = { announceAt: { $exists: true }, data: { $regex: personId } }
    const erased = await eraseFromDigests({ _id: range, $or: [{ _id: own }, naming] }, find)
    return { erased, after: last }
  }

  /** Reads all fan-outs of the subscriber up to the time, because those of a recipient are in no index. */
  async function eraseFanOuts({ subscriberId, personId, person, after }: PhaseInput): Promise<PhaseOutcome> {
    const range = keyRange([subscriberId], { createdTo: person.until.getTime() + 1 })
    const persons = new Map([[personId, person]])
    const found = fanOuts
      .find({ _id: after === undefined ? range : { ...range, $gt: after } }, { ...readLimits, batchSize: 200 })
      .sort({ _id: 1 })
      .limit(documentsPerStep)
    let [erased, examined, bytes, concernedBytes] = [0, 0, 0, 0]
    let last: Binary | undefined
    let concerned: FanOutToErase[] = []
    const write = async (): Promise<void> => {
      erased += await eraseFromFanOuts(concerned)
      concerned = []
      concernedBytes = 0
    }
    for await (const document of found) {
      last = document._id
      examined++
      bytes += document.recipients.length()
      const fanOut = { document, persons }
      if (mayConcern(fanOut)) {
        concerned.push(fanOut)
        concernedBytes += document.recipients.length()
      }
      if (concerned.length >= perWrite.fanOuts || concernedBytes >= perWrite.bytes) await write()
      if (bytes >= fanOutBytesPerStep) break
    }
    await write()
    const isDone = examined < documentsPerStep && bytes < fanOutBytesPerStep
    return { erased, after: isDone ? undefined : last }
  }

  const steps: Readonly<Record<ErasurePhase, (input: PhaseInput) => Promise<PhaseOutcome>>> = {
    feed: eraseFeed,
    receipts: eraseReceipts,
    requests: eraseRequests,
    changes: eraseChanges,
    'fan-outs': eraseFanOuts,
    digests: eraseDigests,
  }
  return (phase, input) => steps[phase](input)
}

function feedUpTo(subscriberId: string, personId: string, until: Date): Range {
  return keyRange([subscriberId, personId], { createdTo: until.getTime() + 1 })
}

/** The greatest id of a notification of this millisecond. */
function lastIdOf(time: Date): string {
  return makeUuidV7(time.getTime(), Buffer.alloc(10, 0xff))
}
