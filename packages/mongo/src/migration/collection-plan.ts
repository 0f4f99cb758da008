import type { CreateCollectionOptions, IndexDescription } from 'mongodb'

export type IndexPlan = IndexDescription & { readonly name: string }
export type CollectionPlan = {
  readonly name: string
  readonly options: CreateCollectionOptions
  readonly indexes: readonly IndexPlan[]
}

/** The name of the index that expires documents, which a migration sets, changes or removes. */
export const retentionIndex = 'retention'

/** The documents are kept in the order of their keys. */
export const clustered = { clusteredIndex: { key: { _id: 1 }, unique: true } } as const

/**
 * Smaller blocks than WiredTiger's 32 KB, and 16 KB of indexes: a write to a random feed or log changes
 * one, which is written as a whole. In multiples of 512 bytes, because small ones would not be smaller once compressed.
 */
export const blocks = (kilobytes: 4 | 8 | 16) => ({
  storageEngine: { wiredTiger: { configString: `leaf_page_max=${kilobytes}KB,allocation_size=512B` } },
})

/** Only of documents that have the field, usually few or none. */
export const ifPresent = (name: string, field: string): IndexPlan => ({
  name,
  key: { [field]: 1 },
  partialFilterExpression: { [field]: { $exists: true } },
})

/** Finds work by the time when it is due. */
export const due = ifPresent('due', 'dueAt')

/** Finds the heads of subscribers, which are among the events that they summarize. */
export const heads: IndexPlan = {
  name: 'heads',
  key: { until: 1 },
  partialFilterExpression: { version: { $exists: true } },
}
/** Deletes each document at its own time. */
export const expiry: IndexPlan = { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }

const secondsPerDay = 24 * 60 * 60

/** Expires documents so many days after the time in a field; none without a retention. */
export const retentionOf = (key: string, days: number | undefined): readonly IndexPlan[] =>
  days === undefined ? [] : [{ name: retentionIndex, key: { [key]: 1 }, expireAfterSeconds: days * secondsPerDay }]

/** A day longer than the notifications, so that none outlives what finds it or keeps it away. */
export const dayLonger = (days: number | undefined) => (days === undefined ? undefined : days + 1)
