import type { Binary, Collection } from 'mongodb'
import { toKey, toUuidBinary, uuidIn } from '../binary.ts'
import { type InsertOutcome, insertNew } from '../insert-new.ts'
import { readLimits } from '../reading/read-limits.ts'
import { advanceHead } from './erased-persons.ts'
import {
  type Erasure,
  type ErasureDocument,
  type ErasureHead,
  type ErasurePhase,
  type ErasureWork,
  erasurePhases,
} from './erasure-document.ts'
import type { PersonKeys } from './person-keys.ts'
import type { EraseStep } from './phases.ts'

/** An erasure that is not done yet. */
export type OpenErasure = { readonly subscriberId: string; readonly eventId: string }

/** How far an erasure got. */
export type ErasureProgress = OpenErasure & {
  /** The phase of this step. */
  readonly phase: ErasurePhase
  /** Traces erased in this step, and in all steps so far. */
  readonly erasedNow: number
  readonly erased: number
  readonly done: boolean
}

export type Erasures = {
  /**
   * Accepts erasures: from then on, nothing of the persons is stored that was created up to the erasure's time. What was
   * stored before is erased by the steps. An erasure that was accepted before is ignored.
   */
  accept(erasures: readonly Erasure[]): Promise<Pick<InsertOutcome<Erasure>, 'refused'>>
  /** The erasures that are not done, the oldest first, up to a limited number. */
  open(): Promise<readonly OpenErasure[]>
  /** How many are not done. */
  countOpen(): Promise<number>
  /**
   * Does the next step of an erasure, bounded in time and memory. Can be repeated and done by several processes; a process
   * that takes over continues after the last step.
   *
   * @returns `undefined` if it is done
   */
  step(erasure: OpenErasure): Promise<ErasureProgress | undefined>
  /** When an erasure of the subscriber was last accepted or done, by MongoDB's clock; `undefined` for never. */
  lastErasedAt(subscriberId: string): Promise<Date | undefined>
}

export type ErasuresDependencies = {
  readonly erasures: Collection<ErasureDocument>
  /** The same collection. */
  readonly heads: Collection<ErasureHead>
  readonly personKeys: PersonKeys
  readonly eraseStep: EraseStep
}

const openPerCall = 100
const hex = (binary: Binary) => binary.toString('hex')
const keyOf = ({ subscriberId, eventId }: OpenErasure) => toKey(subscriberId, eventId)

export function createErasures({ erasures, heads, personKeys, eraseStep }: ErasuresDependencies): Erasures {
  const toDocument = async ({ subscriberId, eventId, time, personId }: Erasure): Promise<ErasureDocument> => {
    const toPseudonym = await personKeys.of(subscriberId)
    return {
      _id: toKey(subscriberId, eventId),
      v: 1,
      target: toKey(subscriberId, toPseudonym(personId)),
      until: time,
      work: { personId: toUuidBinary(personId), phase: erasurePhases[0], erased: 0 },
      keptFrom: time,
    }
  }

  return {
    async accept(given) {
      if (given.length === 0) return { refused: [] }
      const byKey = new Map(given.map((erasure) => [hex(keyOf(erasure)), erasure]))
      const documents = await Promise.all([...byKey.values()].map(toDocument))
      const { refused } = await insertNew(erasures, documents)
      for (const [subscriberId, ofOne] of Map.groupBy(given, (erasure) => erasure.subscriberId)) {
        const until = new Date(Math.max(...ofOne.map(({ time }) => time.getTime())))
        await advanceHead(heads, subscriberId, { until, keptFrom: until })
      }
      return {
        refused: refused.map(({ document, reason }) => ({
          document: byKey.get(hex(document._id)) as Erasure,
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
    countOpen: () => erasures.countDocuments({ work: { $exists: true } }, { ...readLimits, hint: 'open' }),
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
      if (work.phase === erasurePhases[0] && work.after === undefined) {
        await advanceHead(heads, subscriberId, document)
      }
      const { erased: erasedNow, after } = await eraseStep(work.phase, {
        ...{ subscriberId, eventId, personId, person, after: work.after },
      })
      const erased = work.erased + erasedNow
      const next = nextWork({ ...work, erased }, after)
      // Only from the step that was done: another process may have done it, and the next one, meanwhile.
      const unchanged = { _id, 'work.phase': work.phase, 'work.after': work.after ?? { $exists: false } }
      if (next !== undefined) await erasures.updateOne(unchanged as never, { $set: { work: next } })
      else {
        await advanceHead(heads, subscriberId, document)
        await erasures.updateOne({ _id }, { $unset: { work: true } })
      }
      return { subscriberId, eventId, phase: work.phase, erasedNow, erased, done: next === undefined }
    },
    async lastErasedAt(subscriberId) {
      const _id = toKey(subscriberId)
      const found = await heads.findOne({ _id }, { ...readLimits, projection: { erasedAt: 1 } })
      return found?.erasedAt
    },
  }
}

/** @returns `undefined` after the last step */
function nextWork(work: ErasureWork, after: Binary | undefined): ErasureWork | undefined {
  const { phase, personId, erased } = work
  if (after !== undefined) return { personId, phase, after, erased }
  const next = erasurePhases[erasurePhases.indexOf(phase) + 1]
  return next && { personId, phase: next, erased }
}
