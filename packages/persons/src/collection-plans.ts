import { type CollectionPlan, dayLonger, due, heads, ifPresent, retentionOf } from '@herald/mongo'

/** The collections of persons with their indexes. */
export const planPersons = (retentionDays: number | undefined): readonly CollectionPlan[] => [
  {
    name: 'erasures',
    // Not clustered: MongoDB 6 scans a clustered one for a list of keys.
    options: {},
    indexes: [
      { name: 'person', key: { target: 1, until: 1 } },
      heads,
      { name: 'open', key: { 'work.phase': 1 }, partialFilterExpression: { work: { $exists: true } } },
      due,
      { ...ifPresent('unrecorded', 'unrecorded'), key: { unrecorded: 1, _id: 1 } },
      ...retentionOf('keptFrom', dayLonger(retentionDays)),
    ],
  },
  { name: 'person-keys', options: {}, indexes: [] },
]
