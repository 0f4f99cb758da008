import type { WithPosition } from '@herald/mongo'
import type { Binary, Document } from 'mongodb'

/** A change event as {@link changesToAppend} passes it on. */
export type ChangeToAppend = WithPosition & {
  readonly key: Binary
  readonly collection: 'change-entries' | 'erasures'
}

/**
 * New change entries, only their keys: they are read as they are when they get their index. And every change of an erasure, the
 * last of which is the end of its work; MongoDB may report an update as a replacement.
 */
export const changesToAppend: readonly Document[] = [
  {
    $match: {
      $or: [
        { operationType: 'insert', 'ns.coll': 'change-entries' },
        { operationType: { $in: ['update', 'replace'] }, 'ns.coll': 'erasures' },
      ],
    },
  },
  { $project: { key: '$documentKey._id', collection: '$ns.coll' } },
]
