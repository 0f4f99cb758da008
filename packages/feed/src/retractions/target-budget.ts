import { hex, inBatches, readLimits, writeAll } from '@herald/mongo'
import { Binary } from 'mongodb'
import type { FeedCollections } from '../documents/collections.ts'
import type { TombstoneDocument } from '../documents/tombstone-document.ts'
import { withTargets } from './tombstones.ts'

/** Limits the tombstones of one target together: storing a notification there reads all of them. */
const bytesPerTarget = 1024 * 1024
const bytesBesideRecipients = 256
/** Each query has its own time limit. */
const targetsPerQuery = 32

/**
 * Finds those of some tombstones, stored already or not, for which their target has no room. Those that name recipients are
 * refused. The others retract from everyone, and take the place of all that their target has.
 */
export async function findBeyondBudget(
  tombstones: FeedCollections['tombstones'],
  given: readonly TombstoneDocument[],
): Promise<readonly TombstoneDocument[]> {
  const size = { $binarySize: { $ifNull: ['$recipients', new Binary()] } }
  const held = new Map<string, number>()
  for (const some of inBatches(Map.groupBy(given, ({ target }) => hex(target)).values(), targetsPerQuery)) {
    const ofThese = tombstones.aggregate<{ _id: Binary; bytes: number }>(
      [
        { $match: withTargets(some.flatMap(([one]) => one?.target ?? [])) },
        { $match: { _id: { $nin: some.flat().map(({ _id }) => _id) } } },
        { $group: { _id: '$target', bytes: { $sum: { $add: [bytesBesideRecipients, size] } } } },
      ],
      { ...readLimits, hint: 'target' },
    )
    for await (const { _id, bytes } of ofThese) held.set(hex(_id), bytes)
  }
  return given.filter(({ target, recipients }) => {
    const bytes = (held.get(hex(target)) ?? 0) + bytesBesideRecipients + (recipients?.length() ?? 0)
    if (bytes <= bytesPerTarget || recipients === undefined) held.set(hex(target), bytes)
    return bytes > bytesPerTarget
  })
}

/** Deletes the tombstones that these, which are done, make superfluous. */
export async function deleteReplaced(
  tombstones: FeedCollections['tombstones'],
  replacing: readonly TombstoneDocument[],
): Promise<void> {
  const deletes = [...Map.groupBy(replacing, ({ target }) => hex(target)).values()].map((ofOne) => {
    const { _id, target, until } = ofOne.reduce((latest, one) => (one.until > latest.until ? one : latest))
    const others = { $and: [withTargets([target]), { _id: { $ne: _id } }] }
    return { deleteMany: { filter: { ...others, until: { $lte: until }, done: true as const } } }
  })
  await writeAll(tombstones, deletes)
}
