import { createEraseEntries } from '@herald/change-log'
import { createFeedWriters, type FeedOptions, type FeedWriters } from '@herald/feed'
import { createPersons, type ErasedPersons, type Erasures } from '@herald/persons'
import type { Collections } from './collections/collections.ts'

export type Writers = Omit<FeedWriters, 'eraseSteps'> & {
  readonly erasures: Erasures
  readonly erasedPersons: ErasedPersons
}

/** Everything that events and requests cause, and the work that follows from it. */
export function createWriters(collections: Collections, options: FeedOptions = {}): Writers {
  const { erasedPersons, createErasures } = createPersons(collections, options.now)
  const { eraseSteps, ...writers } = createFeedWriters(collections, erasedPersons, options)
  const ofEntries = createEraseEntries(collections.changeEntries, options.documentsPerStep)
  return { ...writers, erasures: createErasures({ ...eraseSteps, ...ofEntries }), erasedPersons }
}
