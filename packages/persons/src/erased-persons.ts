import {
  createGuard,
  inBatches,
  keysUnder,
  type Look,
  type LookOptions,
  readLimits,
  toKey,
  uuidIn,
} from '@herald/mongo'
import type { PersonsCollections } from './collections.ts'
import type { ErasedPerson, FindErased } from './erased-person.ts'
import type { PersonKeys } from './person-keys.ts'

type WithPersons = {
  readonly subscriberId: string
  readonly createdAt: Date
  readonly personIds: Iterable<string>
}

export type ErasedLook = Look<string, ErasedPerson> & { readonly find: FindErased; readonly isEmpty: boolean }

export type ErasedPersons = {
  /** Finds the erased persons in what is to be stored. */
  look(items: readonly WithPersons[], options?: LookOptions<ErasedLook>): Promise<ErasedLook>
}

const targetsPerQuery = 5_000

export function createErasedPersons(
  { erasures, erasureHeads: heads }: Pick<PersonsCollections, 'erasures' | 'erasureHeads'>,
  personKeys: PersonKeys,
): ErasedPersons {
  async function search(subscriberId: string, items: readonly WithPersons[], persons: Map<string, ErasedPerson>) {
    const toPseudonym = await personKeys.of(subscriberId)
    const ids = new Set(items.flatMap(({ personIds }) => [...personIds]))
    for (const batch of inBatches(ids, targetsPerQuery)) {
      const byPseudonym = new Map(batch.map((id) => [toPseudonym(id), id]))
      // A request that is finished after the erasure has the pseudonym already, which is a UUIDv8.
      const pseudonyms = [...byPseudonym.keys(), ...batch.filter((id) => id[14] === '8')]
      const found = erasures.find(
        {
          target: { $in: pseudonyms.map((pseudonym) => toKey(subscriberId, pseudonym)) },
          // Keeps the query on the shards of the subscriber.
          _id: keysUnder([subscriberId], 2),
        },
        { ...readLimits, hint: 'person', projection: { target: 1, until: 1 } },
      )
      for await (const { target, until } of found) {
        const pseudonym = uuidIn(target, 1)
        for (const id of [byPseudonym.get(pseudonym) ?? pseudonym, pseudonym]) {
          const other = persons.get(subscriberId + id)
          if (other === undefined || other.until < until) persons.set(subscriberId + id, { pseudonym, until })
        }
      }
    }
  }

  const guard = createGuard<WithPersons, string, ErasedPerson>({
    heads,
    slackMs: 0,
    isInTime: (until, { createdAt }) => until >= createdAt,
    async search(items, found) {
      for (const [subscriberId, ofOne] of Map.groupBy(items, (item) => item.subscriberId)) {
        await search(subscriberId, ofOne, found)
      }
    },
  })
  return {
    async look(items, options) {
      const look = await guard.look(items, options)
      return {
        ...look,
        find: (subscriberId, personId) => look.found.get(subscriberId + personId),
        isEmpty: look.found.size === 0,
      }
    },
  }
}
