import { uuidIn, writeAll } from '@herald/mongo'
import { appliesTo, type ErasedPersons } from '@herald/persons'
import type { FeedCollections } from '../documents/collections.ts'
import { bytesIn, recipientIdsIn } from '../documents/recipient-list.ts'
import { eraseRecipients, latestConcerned, type TombstoneDocument } from '../documents/tombstone-document.ts'

/** Erases recipients from tombstones that were just stored, because their erasure may have been done before. */
export function createEraseFromTombstones(
  { tombstones }: Pick<FeedCollections, 'tombstones'>,
  erasedPersons: ErasedPersons,
): (stored: readonly TombstoneDocument[]) => Promise<void> {
  return async (stored) => {
    const named = stored.flatMap((tombstone) => {
      const { _id, recipients } = tombstone
      if (recipients === undefined) return []
      const personIds = [...recipientIdsIn(bytesIn(recipients))]
      return [{ tombstone, subscriberId: uuidIn(_id), createdAt: latestConcerned(tombstone), personIds }]
    })
    if (named.length === 0) return
    const { find, isEmpty } = await erasedPersons.look(named)
    if (isEmpty) return
    const updates = named.flatMap(({ tombstone, subscriberId, createdAt, personIds }) => {
      const isErased = (id: string) => appliesTo(find(subscriberId, id), createdAt)
      const positions = personIds.flatMap((id, position) => (isErased(id) ? [position] : []))
      return positions.length === 0 ? [] : [eraseRecipients(tombstone, positions)]
    })
    await writeAll(tombstones, updates)
  }
}
