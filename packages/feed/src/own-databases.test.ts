import { fileURLToPath } from 'node:url'
import { testFilesWith } from '@herald/mongo/testing'
import { expect, test } from '@jest/globals'

/** The test files that see everything that is stored: each has the empty database of its process, `createEmptyFeed`. */
const needEmptyDatabase = {
  'announcements/announcement-crash.int.test.ts': 'the relay announces what is due of all subscribers',
  'announcements/digests.int.test.ts': 'digests are written for all subscribers',
  'announcements/unread-at-location.int.test.ts': 'digests are written for all subscribers',
  'announcements/hourly-digests.int.test.ts': 'relays announce what is due of all subscribers',
  'announcements/without-topic.int.test.ts': 'interrupted requests of all subscribers are finished',
  'erasures/erased-digests.int.test.ts': 'open erasures of all subscribers are carried out',
  'erasures/long-erasures.int.test.ts': 'open erasures of all subscribers are carried out',
  'feed-changes/feed-changes.int.test.ts': 'a change stream has the changes of all subscribers',
  'mutes/muted.int.test.ts': 'relays announce and finish what is due of all subscribers',
  'receipts/receipts.int.test.ts': 'overdue receipts of all subscribers are claimed',
  'retractions/crash-and-race.int.test.ts': 'interrupted requests of all subscribers are finished',
  'retractions/many-retractions.int.test.ts': 'recent heads are examined whoever they belong to',
  'retractions/refused-retractions.int.test.ts': 'interrupted requests of all subscribers are finished',
  'retractions/retraction-model.int.test.ts': 'open erasures of all subscribers are carried out',
  'retractions/retractions.int.test.ts': 'recent heads are examined whoever they belong to',
  'storing/clock-ahead.int.test.ts': 'what is due of all subscribers is dated anew',
  'storing/large-requests.int.test.ts': 'interrupted requests of all subscribers are finished',
  'storing/late-writers.int.test.ts': 'open erasures and interrupted requests of all subscribers are carried out',
}

const folder = fileURLToPath(new URL('.', import.meta.url))

test('a test file has an empty database only with a reason: all others share the database of the run', () => {
  expect(
    testFilesWith(folder, /createEmptyFeed\(|createNewDatabase\(|herald-test-|startReplicaSet\(|startMongod/),
  ).toEqual(Object.keys(needEmptyDatabase).toSorted())
})
