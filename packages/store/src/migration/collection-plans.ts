import { blocks, type CollectionPlan, clustered, expiry, heads, ifPresent, retentionOf } from '@herald/mongo'

const due = ifPresent('due', 'dueAt')
const announce = ifPresent('announce', 'announceAt')

/** Every collection with its indexes, as created by `migrate` and verified by the readiness check. */
export function planCollections(retentionDays: number | undefined): readonly CollectionPlan[] {
  const retention = retentionOf('createdAt', retentionDays)
  // A day longer than the notifications, so that none outlives what finds it or keeps it away.
  const longer = retentionDays === undefined ? undefined : retentionDays + 1
  return [
    {
      name: 'notifications',
      options: { ...clustered, ...blocks(8) },
      indexes: [{ name: 'box', key: { box: 1, _id: 1 }, ...blocks(4) }, ...retention],
    },
    {
      name: 'change-entries',
      // A page of a log, or an export of it, reads more documents than a page of a feed.
      options: { ...clustered, ...blocks(16) },
      indexes: [
        { name: 'entity', key: { entityId: 1, _id: 1 } },
        { name: 'user', key: { userId: 1, _id: 1 } },
        ...retention,
      ],
    },
    {
      name: 'log-pages',
      // Never deleted, also with RETENTION_DAYS: a process that was frozen must not insert where a page has been.
      options: {},
      indexes: [{ name: 'ids', key: { ids: 1 } }, ifPresent('erasures', 'erasure.target')],
    },
    { name: 'log-state', options: {}, indexes: [] },
    {
      name: 'fan-outs',
      // Not clustered, like `tombstones`, `erasures` and `waiting-receipts`: MongoDB 6 scans a clustered one for a list of keys.
      options: {},
      indexes: [
        { name: 'location', key: { locationId: 1, _id: 1 } },
        ...[due, announce, ifPresent('unread', 'unreadAt')],
        ...retentionOf('createdAt', longer),
      ],
    },
    {
      name: 'tombstones',
      options: {},
      indexes: [{ name: 'target', key: { target: 1, until: 1 } }, heads, due, ...retentionOf('keptFrom', longer)],
    },
    {
      name: 'digests',
      options: {},
      indexes: [{ name: 'notifications', key: { notifications: 1 } }, announce, expiry],
    },
    {
      name: 'erasures',
      options: {},
      indexes: [
        { name: 'person', key: { target: 1, until: 1 } },
        heads,
        { name: 'open', key: { 'work.phase': 1 }, partialFilterExpression: { work: { $exists: true } } },
        due,
        { ...ifPresent('unrecorded', 'unrecorded'), key: { unrecorded: 1, _id: 1 } },
        ...retentionOf('keptFrom', longer),
      ],
    },
    { name: 'person-keys', options: {}, indexes: [] },
    { name: 'leases', options: {}, indexes: [] },
    // Never deleted: what was sealed once must be provable for good, and a process that was frozen must not insert it anew.
    { name: 'log-nodes', options: clustered, indexes: [] },
    { name: 'log-checkpoints', options: clustered, indexes: [] },
    { name: 'bulk-marks', options: clustered, indexes: [expiry] },
    {
      name: 'mutes',
      // Not clustered, for the same reason.
      options: {},
      indexes: [
        { name: 'user', key: { user: 1, setAt: -1 } },
        { name: 'expiry', key: { until: 1 }, expireAfterSeconds: 0 },
      ],
    },
    { name: 'seen-marks', options: clustered, indexes: [] },
    { name: 'stream-keys', options: clustered, indexes: [] },
    {
      name: 'waiting-receipts',
      options: {},
      indexes: [
        { name: 'notification', key: { key: 1 } },
        { name: 'age', key: { waitingSince: 1 } },
      ],
    },
    { name: 'create-requests', options: clustered, indexes: [expiry] },
  ]
}
