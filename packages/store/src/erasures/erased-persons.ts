import { randomUUID } from 'node:crypto'
import type { Collection } from 'mongodb'
import { toKey, toUuidBinary, uuidIn } from '../binary.ts'
import { inBatches } from '../fan-outs/in-batches.ts'
import { readLimits } from '../reading/read-limits.ts'
import { findRecentHeads, type Heads } from '../reading/recent-heads.ts'
import type { ErasureDocument, ErasureHead } from './erasure-document.ts'
import type { PersonKeys } from './person-keys.ts'

/** A person who was erased: the pseudonym, and the latest `createdAt` that an erasure applies to. */
export type ErasedPerson = { readonly pseudonym: string; readonly until: Date }

/** Something to store, and the persons in it. */
type WithPersons = {
  readonly subscriberId: string
  readonly createdAt: Date
  readonly personIds: Iterable<string>
}

/** Finds a person of a subscriber; `undefined` unless they were erased. */
export type FindErased = (subscriberId: string, personId: string) => ErasedPerson | undefined

/** The erased persons among some, and the version of the heads at which they were read. */
export type ErasedLook = {
  readonly find: FindErased
  /** Whether there is none. */
  readonly isEmpty: boolean
  readonly persons: ReadonlyMap<string, ErasedPerson>
  readonly versions: ReadonlyMap<string, string>
}

export type ErasedPersons = {
  /** Finds the erased persons in what is to be stored. With an earlier look, only searches what has changed since. */
  look(items: readonly WithPersons[], earlier?: ErasedLook): Promise<ErasedLook>
}

export type ErasedPersonsDependencies = {
  readonly erasures: Collection<ErasureDocument>
  /** The same collection. */
  readonly heads: Collection<ErasureHead>
  readonly personKeys: PersonKeys
}

const targetsPerQuery = 5_000

export function createErasedPersons({ erasures, heads, personKeys }: ErasedPersonsDependencies): ErasedPersons {
  function findHeads(items: readonly WithPersons[]): Promise<Heads> {
    const subscribers = new Set(items.map(({ subscriberId }) => subscriberId))
    const earliest = items.reduce((least, { createdAt }) => Math.min(least, createdAt.getTime()), Infinity)
    return findRecentHeads(heads, subscribers, new Date(earliest))
  }

  async function search(subscriberId: string, items: readonly WithPersons[], persons: Map<string, ErasedPerson>) {
    const toPseudonym = await personKeys.of(subscriberId)
    const ids = new Set<string>()
    for (const { personIds } of items) for (const id of personIds) ids.add(id)
    for (const batch of inBatches(ids, targetsPerQuery)) {
      const byPseudonym = new Map(batch.map((id) => [toPseudonym(id), id]))
      const found = erasures.find(
        {
          target: { $in: [...byPseudonym.keys()].map((pseudonym) => toKey(subscriberId, pseudonym)) },
          // Keeps the query on the shards of the subscriber.
          _id: { $gte: toKey(subscriberId, leastId), $lte: toKey(subscriberId, greatestId) },
        },
        { ...readLimits, hint: 'person', projection: { target: 1, until: 1 } },
      )
      for await (const { target, until } of found) {
        const pseudonym = uuidIn(target, 1)
        const key = subscriberId + byPseudonym.get(pseudonym)
        const other = persons.get(key)
        if (other === undefined || other.until < until) persons.set(key, { pseudonym, until })
      }
    }
  }

  return {
    async look(items, earlier) {
      if (items.length === 0) return toLook(new Map(), new Map())
      const found = await findHeads(items)
      const versions = new Map([...found].map(([subscriberId, { version }]) => [subscriberId, version]))
      const searched = items.filter(({ subscriberId, createdAt }) => {
        const head = found.get(subscriberId)
        return head !== undefined && head.until >= createdAt && head.version !== earlier?.versions.get(subscriberId)
      })
      const persons = new Map(earlier?.persons)
      for (const [subscriberId, ofOne] of Map.groupBy(searched, (item) => item.subscriberId)) {
        await search(subscriberId, ofOne, persons)
      }
      return toLook(persons, versions)
    },
  }
}

function toLook(persons: ReadonlyMap<string, ErasedPerson>, versions: ReadonlyMap<string, string>): ErasedLook {
  const find: FindErased = (subscriberId, personId) => persons.get(subscriberId + personId)
  return { find, isEmpty: persons.size === 0, persons, versions }
}

/** Makes an erasure known: whoever read the head before will notice. */
export async function advanceHead(
  heads: Collection<ErasureHead>,
  subscriberId: string,
  { until, keptFrom }: Pick<ErasureDocument, 'until' | 'keptFrom'>,
): Promise<void> {
  await heads.updateOne(
    { _id: toKey(subscriberId) },
    {
      $max: { until, keptFrom },
      $set: { v: 1, version: toUuidBinary(randomUUID()) },
      $currentDate: { erasedAt: true },
    },
    { upsert: true },
  )
}

const leastId = '00000000-0000-0000-0000-000000000000'
const greatestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
