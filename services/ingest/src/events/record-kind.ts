import type { TopicKind } from '@herald/contracts'

/** The kind of records in a topic: events of the contract, or changes captured from a database. */
export type RecordKind = TopicKind | 'captured'
