import { type ChangeLogCollections, changeLogCollectionsOf } from '@herald/change-log'
import { type FeedCollections, feedCollectionsOf } from '@herald/feed'
import type { KeyDocument, LeaseDocument } from '@herald/mongo'
import { type PersonsCollections, personsCollectionsOf } from '@herald/persons'
import type { Collection, Db } from 'mongodb'
import type { GroupNoteDocument } from '../restores/group-notes.ts'

export type Collections = FeedCollections &
  ChangeLogCollections &
  PersonsCollections & {
    readonly leases: Collection<LeaseDocument>
    readonly streamKeys: Collection<KeyDocument<string>>
    readonly groupNotes: Collection<GroupNoteDocument>
  }

/** Every collection of Herald. */
export const collectionsOf = (database: Db): Collections => ({
  ...feedCollectionsOf(database),
  ...changeLogCollectionsOf(database),
  ...personsCollectionsOf(database),
  leases: database.collection('leases'),
  streamKeys: database.collection('stream-keys'),
  groupNotes: database.collection('group-notes'),
})
