import {
  advanceHeads,
  findFew,
  type Hold,
  hex,
  type InsertOutcome,
  inBatches,
  insertNew,
  lookAgainMs,
  markAfter,
  type Position,
  readLimits,
  toKey,
  toUuidBinary,
  uuidIn,
} from '@herald/mongo'
import type { Binary } from 'mongodb'
import type { PersonsCollections } from './collections.ts'
import type { EraseSteps } from './erase-steps.ts'
import {
  type Erasure,
  type ErasureDocument,
  type ErasurePhase,
  type ErasureWork,
  erasurePhases,
} from './erasure-document.ts'
import type { PersonKeys } from './person-keys.ts'

export type OpenErasure = { readonly subscriberId: string; readonly eventId: string }

export type ErasureProgress = OpenErasure & {
  readonly phase: ErasurePhase
  /** Traces erased in this step, and in all steps so far. */
  readonly erasedNow: number
  readonly erased: number
  readonly done: boolean
}

export type OpenErasures = { readonly count: number; readonly oldest: Date | undefined }

export type Erasures = {
  /**
   * Accepts erasures: from then on, nothing of the persons is stored that was created up to the erasure's time. The steps
   * erase everything stored before. An erasure that was accepted before is ignored.
   */
  accept(erasures: readonly Erasure[]): Promise<Pick<InsertOutcome<Erasure>, 'refused'>>
  /** The erasures that are not done, the oldest first, up to a limited number. */
  open(): Promise<readonly OpenErasure[]>
  /** How many are not done, and since when the oldest has been waiting for its next step. */
  readOpen(): Promise<OpenErasures>
  /** Does the next step, bounded in time and memory; `undefined` if all are done. Several processes may repeat it. */
  step(erasure: OpenErasure): Promise<ErasureProgress | undefined>
  /**
   * Erases a feed, mutes, and the contents of requests, once more, see {@link lookAgainMs}. Returns `false` if none is due, or
   * `hold` resolves to `false`.
   */
  lookAgain(now: Date, hold: Hold): Promise<boolean>
  /** The position at which an erasure of each subscriber was last accepted or done; those without one are missing. */
  lastErasedAt(subscriberIds: readonly string[]): Promise<ReadonlyMap<string, Position>>
}

export type ErasuresDependencies = Pick<PersonsCollections, 'erasures' | 'erasureHeads'> & {
  readonly personKeys: PersonKeys
  readonly eraseSteps: EraseSteps
  /** The time by MongoDB's clock. */
  readonly now: () => Date
}

const openPerCall = 100
const headsPerRead = 1_000
const keyOf = ({ subscriberId, eventId }: OpenErasure) => toKey(subscriberId, eventId)

export function createErasures(dependencies: ErasuresDependencies): Erasures {
  const { erasures, erasureHeads: heads, personKeys, eraseSteps, now } = dependencies

  const toDocument = async ({ subscriberId, eventId, time, personId }: Erasure): Promise<ErasureDocument> => {
    const toPseudonym = await personKeys.of(subscriberId)
    return {
      _id: toKey(subscriberId, eventId),
      v: 1,
      target: toKey(subscriberId, toPseudonym(personId)),
      until: time,
      work: { personId: toUuidBinary(personId), phase: erasurePhases[0], erased: 0, since: now() },
      unrecorded: true,
      keptFrom: time,
    }
  }

  return {
    async accept(given) {
      if (given.length === 0) return { refused: [] }
      const byEvent = new Map(given.map((erasure) => [hex(keyOf(erasure)), erasure]))
      const documents = await Promise.all([...byEvent.values()].map(toDocument))
      const { refused } = await insertNew(erasures, documents)
      await advanceHeads(heads, documents)
      return {
        refused: refused.map(({ document, reason }) => ({
          document: byEvent.get(hex(document._id)) as Erasure,
          reason,
        })),
      }
    },
    async open() {
      const found = await erasures
        .find({ work: { $exists: true } }, { ...readLimits, hint: 'open', projection: { _id: 1 } })
        .sort({ keptFrom: 1 })
        .limit(openPerCall)
        .toArray()
      return found.map(({ _id }) => ({ subscriberId: uuidIn(_id), eventId: uuidIn(_id, 1) }))
    },
    async readOpen() {
      const options = { ...readLimits, hint: 'open' } as const
      const count = await erasures.countDocuments({ work: { $exists: true } }, options)
      if (count === 0) return { count, oldest: undefined }
      const first = { ...options, sort: { 'work.since': 1 }, projection: { 'work.since': 1 } } as const
      return { count, oldest: (await erasures.findOne({ work: { $exists: true } }, first))?.work?.since }
    },
    async step(erasure) {
      const _id = keyOf(erasure)
      const document = await erasures.findOne({ _id }, readLimits)
      if (!document?.work) return undefined
      const { work, until } = document
      const { subscriberId, eventId } = erasure
      const personId = uuidIn(work.personId)
      const toPseudonym = await personKeys.of(subscriberId)
      const person = { pseudonym: toPseudonym(personId), until }
      // A process that died between the erasure and its head would leave it unknown to those who store.
      if (work.phase === erasurePhases[0] && work.after === undefined) await advanceHeads(heads, [document])
      const input = { subscriberId, eventId, personId, person, after: work.after }
      const { erased: erasedNow, after } = await eraseSteps[work.phase](input)
      const erased = work.erased + erasedNow
      const next = nextWork({ ...work, erased }, after)
      // Only from the step that was done: another process may have done it, and the next one, meanwhile.
      const unchanged = { _id, 'work.phase': work.phase, 'work.after': work.after ?? { $exists: false } }
      if (next !== undefined) {
        // Replaced first: fields of a value that `$set` gives to a document are merged into it.
        const change = [{ $unset: 'work' }, { $set: { work: { ...next, since: '$$NOW' } } }]
        await erasures.updateOne(unchanged as never, change)
      } else {
        await advanceHeads(heads, [document])
        const sealedId = await personKeys.seal(subscriberId, eventId, work.personId)
        const dueAt = { $add: ['$$NOW', lookAgainMs] }
        await erasures.updateOne(unchanged as never, [{ $unset: 'work' }, { $set: { sealedId, dueAt } }])
      }
      return { subscriberId, eventId, phase: work.phase, erasedNow, erased, done: next === undefined }
    },
    async lookAgain(now, hold) {
      // Dated by a clock that was ahead for a while.
      const [latest, level] = [2, 1].map((times) => new Date(now.getTime() + times * lookAgainMs)) as [Date, Date]
      await erasures.updateMany({ dueAt: { $gt: latest } }, { $set: { dueAt: level } }, { hint: 'due' })
      const due = { dueAt: { $lte: now } } as const
      const document = await erasures.findOne(due, { ...readLimits, hint: 'due', sort: { dueAt: 1 } })
      if (!document?.sealedId || !(await hold())) return false
      const { _id, until, sealedId } = document
      const [subscriberId, eventId] = [uuidIn(_id), uuidIn(_id, 1)]
      const personId = uuidIn(await personKeys.seal(subscriberId, eventId, sealedId))
      const person = { pseudonym: uuidIn(document.target, 1), until }
      const input = { subscriberId, eventId, personId, person }
      const feed = await eraseSteps.feed({ ...input, after: undefined })
      const mutes = await eraseSteps.mutes({ ...input, after: undefined })
      if (feed.after !== undefined || mutes.after !== undefined) return true
      for (let after: Binary | undefined; ; ) {
        const requests = await eraseSteps.requests({ ...input, after })
        after = requests.after
        if (after === undefined) break
        if (!(await hold())) return false
      }
      await erasures.updateOne({ _id }, { $unset: { sealedId: true, dueAt: true } })
      return true
    },
    async lastErasedAt(subscriberIds) {
      const erasedAt = new Map<string, Position>()
      for (const some of inBatches(subscriberIds, headsPerRead)) {
        const filter = { _id: { $in: some.map((id) => toKey(id)) } }
        const found = await findFew(heads, { filter, projection: { changedAt: 1 }, limit: headsPerRead })
        for (const { _id, changedAt } of found) erasedAt.set(uuidIn(_id), markAfter(changedAt))
      }
      return erasedAt
    },
  }
}

/** @returns `undefined` after the last step */
function nextWork(work: ErasureWork, after: Binary | undefined): Omit<ErasureWork, 'since'> | undefined {
  const { phase, personId, erased } = work
  if (after !== undefined) return { personId, phase, after, erased }
  const next = erasurePhases[erasurePhases.indexOf(phase) + 1]
  return next && { personId, phase: next, erased }
}
