import type { TopicKind } from '@herald/contracts'

/** What the records of a topic are: events of the contract, or changes captured from a database. */
export type RecordKind = TopicKind | 'captured'
