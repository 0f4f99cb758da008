import { type FeedCollections, feedCollectionsOf } from '@herald/feed'
import type { KeyDocument, LeaseDocument } from '@herald/mongo'
import { type PersonsCollections, personsCollectionsOf } from '@herald/persons'
import type { Collection, Db } from 'mongodb'
import type { ChangeEntryDocument } from './change-entry-document.ts'
import type { LogPageDocument, LogStateDocument } from './log-page-document.ts'
import type { CheckpointDocument, LogNodeDocument } from './sealed-log-document.ts'

export type Collections = FeedCollections &
  PersonsCollections & {
    readonly changeEntries: Collection<ChangeEntryDocument>
    readonly logPages: Collection<LogPageDocument>
    readonly logState: Collection<LogStateDocument>
    readonly logNodes: Collection<LogNodeDocument>
    readonly logCheckpoints: Collection<CheckpointDocument>
    readonly leases: Collection<LeaseDocument>
    readonly streamKeys: Collection<KeyDocument<string>>
  }

/** Every collection of Herald. */
export const collectionsOf = (database: Db): Collections => ({
  ...feedCollectionsOf(database),
  ...personsCollectionsOf(database),
  changeEntries: database.collection('change-entries'),
  logPages: database.collection('log-pages'),
  logState: database.collection('log-state'),
  logNodes: database.collection('log-nodes'),
  logCheckpoints: database.collection('log-checkpoints'),
  leases: database.collection('leases'),
  streamKeys: database.collection('stream-keys'),
})
