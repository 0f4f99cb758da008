import type { PersonsCollections } from '@herald/persons'
import type { Collection, Db } from 'mongodb'
import type { ChangeEntryDocument } from './change-entry-document.ts'
import type { LogPageDocument, LogStateDocument } from './log-page-document.ts'
import type { CheckpointDocument, LogNodeDocument } from './sealed-log-document.ts'

export type ChangeLogCollections = {
  readonly changeEntries: Collection<ChangeEntryDocument>
  readonly logPages: Collection<LogPageDocument>
  readonly logState: Collection<LogStateDocument>
  readonly logNodes: Collection<LogNodeDocument>
  readonly logCheckpoints: Collection<CheckpointDocument>
}

/** The collections that change logs read: erasures have a place in the recorded order. */
export type LogSources = ChangeLogCollections & Pick<PersonsCollections, 'erasures' | 'erasureHeads'>

export const changeLogCollectionsOf = (database: Db): ChangeLogCollections => ({
  changeEntries: database.collection('change-entries'),
  logPages: database.collection('log-pages'),
  logState: database.collection('log-state'),
  logNodes: database.collection('log-nodes'),
  logCheckpoints: database.collection('log-checkpoints'),
})
