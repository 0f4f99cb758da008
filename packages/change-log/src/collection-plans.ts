import { blocks, type CollectionPlan, clustered, ifPresent, retentionOf } from '@herald/mongo'

/** The collections of change logs with their indexes. */
export const planChangeLogs = (retentionDays: number | undefined): readonly CollectionPlan[] => [
  {
    name: 'change-entries',
    // A page of a log, or an export of it, reads more documents than a page of a feed.
    options: { ...clustered, ...blocks(16) },
    indexes: [
      { name: 'entity', key: { entityId: 1, _id: 1 } },
      { name: 'user', key: { userId: 1, _id: 1 } },
      ...retentionOf('createdAt', retentionDays),
    ],
  },
  {
    name: 'log-pages',
    // Never deleted, also with RETENTION_DAYS: a process that was frozen must not insert where a page has been.
    options: {},
    indexes: [{ name: 'ids', key: { ids: 1 } }, ifPresent('erasures', 'erasure.target')],
  },
  { name: 'log-state', options: {}, indexes: [] },
  // Never deleted: what was sealed once must be provable for good, and a process that was frozen must not insert it anew.
  { name: 'log-nodes', options: clustered, indexes: [] },
  { name: 'log-checkpoints', options: clustered, indexes: [] },
]
