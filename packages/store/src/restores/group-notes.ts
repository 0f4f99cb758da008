import { writeEach } from '@herald/mongo'
import { type Collection, Long } from 'mongodb'

/** How far a group has committed, as noted in the database that has what it stored until then. */
export type GroupNoteDocument = {
  /** The group as JSON, `[group]`: when it was last seen that no note is behind. `[group, topic, partition]`: an offset. */
  _id: string
  v: 1
  offset?: Long | number
  /** By MongoDB's clock. */
  notedAt: Date
}

export type PartitionPlace = { readonly topic: string; readonly partition: number }

export type OffsetToNote = PartitionPlace & {
  readonly offset: bigint
  /** The offset that the group had committed before, of which there must be a note. */
  readonly noted: bigint | undefined
}

/** The notes of a group, by {@link placeOf}. */
export type GroupNotes = { readonly notedAt: Date | undefined; readonly offsets: ReadonlyMap<string, bigint> }

export const placeOf = ({ topic, partition }: PartitionPlace) => `${topic}/${partition}`

const groupId = (group: string) => JSON.stringify([group])
const partitionId = (group: string, { topic, partition }: PartitionPlace) => JSON.stringify([group, topic, partition])
const atNow = { v: 1, notedAt: '$$NOW' } as const

export type StoredGroupNotes = ReturnType<typeof createGroupNotes>

/**
 * The notes of groups, by which a database that was restored from a backup is recognized: its notes are behind the offsets that
 * the group has committed since. A note is raised before a commit, and one that is behind is never changed, except by `reset`.
 */
export function createGroupNotes(collection: Collection<GroupNoteDocument>) {
  async function raiseOnce(group: string, offsets: readonly OffsetToNote[]): Promise<number> {
    const operations = offsets.map(({ offset, noted, ...place }) => {
      const value = { $max: ['$offset', Long.fromBigInt(offset)] }
      const isNotBehind = noted === undefined ? {} : { offset: { $gte: Long.fromBigInt(noted) } }
      const filter = { _id: partitionId(group, place), ...isNotBehind }
      return { updateOne: { filter, update: [{ $set: { ...atNow, offset: value } }], upsert: noted === undefined } }
    })
    return (await writeEach(collection, operations as never)).duplicates
  }

  return {
    /** To call before these offsets are committed. */
    async raise(group: string, offsets: readonly OffsetToNote[]): Promise<void> {
      // Another process may have inserted the same note at the same time.
      if ((await raiseOnce(group, offsets)) > 0) await raiseOnce(group, offsets)
    },
    async read(group: string, places: readonly PartitionPlace[]): Promise<GroupNotes> {
      const names = new Map(places.map((place) => [partitionId(group, place), placeOf(place)]))
      const ids = [groupId(group), ...names.keys()]
      const found = await collection.find({ _id: { $in: ids } }, { maxTimeMS: 5_000 }).toArray()
      const offsets = new Map<string, bigint>()
      for (const { _id, offset } of found) {
        const name = names.get(_id)
        if (name !== undefined && offset !== undefined) offsets.set(name, BigInt(offset.toString()))
      }
      return { notedAt: found.find(({ _id }) => _id === groupId(group))?.notedAt, offsets }
    },
    /** Notes that nothing was behind, unless the database is an older one than when `seen` was read. */
    async confirm(group: string, { notedAt: seen }: Pick<GroupNotes, 'notedAt'>): Promise<void> {
      const filter = { _id: groupId(group), ...(seen && { notedAt: { $gte: seen } }) }
      const update = [{ $set: atNow }]
      await writeEach(collection, [{ updateOne: { filter, update, upsert: seen === undefined } }] as never)
    },
    /** Replaces the notes after the group was set back to these offsets. */
    async reset(group: string, offsets: readonly Omit<OffsetToNote, 'noted'>[]): Promise<void> {
      const operations = [
        { _id: groupId(group), fields: {} },
        ...offsets.map((one) => ({ _id: partitionId(group, one), fields: { offset: Long.fromBigInt(one.offset) } })),
      ].map(({ _id, fields }) => {
        return { updateOne: { filter: { _id }, update: [{ $set: { ...atNow, ...fields } }], upsert: true } }
      })
      await writeEach(collection, operations as never)
    },
  }
}
