import { type CreateNotification, toMetadataText } from '@herald/contracts'
import { type BudgetDefinition, storageBudget } from '@herald/runtime'

/** Held while a notification is stored. */
export const creationBudget = {
  name: 'creations',
  setting: 'MAX_CREATION_BYTES',
  counts: 'bytes of notifications being created',
  sum: 64 * 1024 * 1024,
  userShare: 1 / 4,
  beyond: 'waits up to 8 s for its turn',
} as const satisfies BudgetDefinition

/** Each deletes the documents of up to 10,000 recipients. */
export const retractionBudget = {
  name: 'retractions',
  setting: 'MAX_RETRACTIONS',
  counts: 'notifications being retracted by requests',
  sum: 8,
  userShare: 1 / 8,
  beyond: 'waits up to 8 s for its turn',
} as const satisfies BudgetDefinition

/** Beyond those of every HTTP server. */
export const ingestBudgets = [creationBudget, retractionBudget, storageBudget] as const

/** A stored notification has about this size without its metadata. */
const bytesBesideMetadata = 512

/** About the bytes that are stored: every recipient has a document. */
export function creationBytesOf({ metadata, recipientIds }: CreateNotification): number {
  return recipientIds.length * (Buffer.byteLength(toMetadataText(metadata)) + bytesBesideMetadata)
}
