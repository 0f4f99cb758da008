import {
  blocks,
  type CollectionPlan,
  clustered,
  dayLonger,
  due,
  expiry,
  heads,
  ifPresent,
  retentionOf,
} from '@herald/mongo'

const announce = ifPresent('announce', 'announceAt')

/** The collections of feeds with their indexes. */
export const planFeed = (retentionDays: number | undefined): readonly CollectionPlan[] => [
  {
    name: 'notifications',
    options: { ...clustered, ...blocks(8) },
    indexes: [{ name: 'box', key: { box: 1, _id: 1 }, ...blocks(4) }, ...retentionOf('createdAt', retentionDays)],
  },
  {
    name: 'fan-outs',
    // Not clustered, like `tombstones`, `erasures` and `waiting-receipts`: MongoDB 6 scans a clustered one for a list of keys.
    options: {},
    indexes: [
      { name: 'location', key: { locationId: 1, _id: 1 } },
      ...[due, announce, ifPresent('unread', 'unreadAt')],
      ...retentionOf('createdAt', dayLonger(retentionDays)),
    ],
  },
  {
    name: 'tombstones',
    options: {},
    indexes: [
      { name: 'target', key: { target: 1, until: 1 } },
      heads,
      due,
      { ...ifPresent('unfinished', 'unfinished'), key: { unfinished: 1, _id: 1 } },
      ...retentionOf('keptFrom', dayLonger(retentionDays)),
    ],
  },
  {
    name: 'digests',
    options: {},
    indexes: [
      // Each is in one digest, so that it is announced as unread once.
      { name: 'notifications', key: { notifications: 1 }, unique: true },
      { ...ifPresent('slot', 'slot'), unique: true },
      ...[announce, expiry],
    ],
  },
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
