import { Binary } from 'mongodb'
import { hex } from '../documents/binary.ts'
import type { Collections } from '../documents/collections.ts'
import type { TombstoneDocument } from '../documents/tombstone-document.ts'
import { withTargets } from '../guards/tombstones.ts'
import { readLimits } from '../reading/read-limits.ts'

/** Of the tombstones of one target together: storing a notification there reads all of them. */
const bytesPerTarget = 16 * 1024 * 1024
const bytesBesideRecipients = 256

/** Finds those of some tombstones, stored already or not, for which their target has no room beside all others. */
export async function findBeyondBudget(
  tombstones: Collections['tombstones'],
  given: readonly TombstoneDocument[],
): Promise<ReadonlySet<TombstoneDocument>> {
  const size = { $binarySize: { $ifNull: ['$recipients', new Binary()] } }
  const sums = await tombstones
    .aggregate<{ _id: Binary; bytes: number }>(
      [
        { $match: withTargets(given.map(({ target }) => target)) },
        { $match: { _id: { $nin: given.map(({ _id }) => _id) } } },
        { $group: { _id: '$target', bytes: { $sum: { $add: [bytesBesideRecipients, size] } } } },
      ],
      { ...readLimits, hint: 'target' },
    )
    .toArray()
  const held = new Map(sums.map(({ _id, bytes }) => [hex(_id), bytes]))
  const beyond = given.filter(({ target, recipients }) => {
    const bytes = (held.get(hex(target)) ?? 0) + bytesBesideRecipients + (recipients?.length() ?? 0)
    if (bytes <= bytesPerTarget) held.set(hex(target), bytes)
    return bytes > bytesPerTarget
  })
  return new Set(beyond)
}
