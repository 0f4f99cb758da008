import { planChangeLogs } from '@herald/change-log'
import { planFeed } from '@herald/feed'
import { type CollectionPlan, clustered } from '@herald/mongo'
import { planPersons } from '@herald/persons'

/** Every collection with its indexes, as created by `migrate` and verified by the readiness check. */
export const planCollections = (retentionDays: number | undefined): readonly CollectionPlan[] => [
  ...planFeed(retentionDays),
  ...planChangeLogs(retentionDays),
  ...planPersons(retentionDays),
  { name: 'leases', options: {}, indexes: [] },
  { name: 'stream-keys', options: clustered, indexes: [] },
  { name: 'group-notes', options: {}, indexes: [] },
]
