import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

/** The test files that see everything that is stored: each has the empty database of its process, `createEmptyStore`. */
const needEmptyDatabase = {
  'announcements/announcement-crash.int.test.ts': 'the relay announces what is due of all subscribers',
  'announcements/digests.int.test.ts': 'digests are written for all subscribers',
  'announcements/unread-at-location.int.test.ts': 'digests are written for all subscribers',
  'announcements/without-topic.int.test.ts': 'interrupted requests of all subscribers are finished',
  'erasures/erased-digests.int.test.ts': 'open erasures of all subscribers are carried out',
  'erasures/erasure-crash.int.test.ts': 'open erasures of all subscribers are carried out',
  'erasures/erasures.int.test.ts': 'open erasures of all subscribers are carried out',
  'erasures/long-erasures.int.test.ts': 'open erasures of all subscribers are carried out',
  'feed-changes/feed-changes.int.test.ts': 'a change stream has the changes of all subscribers',
  'lookup/log-status.int.test.ts': 'the newest logs of all subscribers are shown',
  'migration/retention.int.test.ts': 'tombstones are counted with their heads',
  'mutes/muted.int.test.ts': 'relays announce and finish what is due of all subscribers',
  'receipts/receipts.int.test.ts': 'overdue receipts of all subscribers are claimed',
  'recorded-order/erased-entries.int.test.ts': 'a sequencer appends the entries of all subscribers',
  'recorded-order/sequencer.int.test.ts': 'a sequencer appends the entries of all subscribers',
  'retractions/crash-and-race.int.test.ts': 'interrupted requests of all subscribers are finished',
  'retractions/many-retractions.int.test.ts': 'recent heads are examined whoever they belong to',
  'retractions/refused-retractions.int.test.ts': 'interrupted requests of all subscribers are finished',
  'retractions/retraction-model.int.test.ts': 'open erasures of all subscribers are carried out',
  'retractions/retractions.int.test.ts': 'recent heads are examined whoever they belong to',
  'sealed-log/sealed-log.int.test.ts': 'a sequencer appends the entries of all subscribers',
  'sealing/leaves.int.test.ts': 'all logs have one state of sealing',
  'sealing/sealer.int.test.ts': 'a sealer seals the logs of all subscribers',
  'shard-script.int.test.ts': 'counts what all subscribers have',
  'storing/large-requests.int.test.ts': 'interrupted requests of all subscribers are finished',
  'storing/late-writers.int.test.ts': 'open erasures and interrupted requests of all subscribers are carried out',
}

/** The test files that begin without collections, `createNewStore`. */
const needNewDatabase = {
  'migration/find-missing.int.test.ts': 'plans and begins migrations',
  'migration/migrate.int.test.ts': 'migrates, in several ways',
}

const needOwnServers = { 'reading/user-reads.int.test.ts': 'stops the replication between two servers' }

const folder = fileURLToPath(new URL('.', import.meta.url))
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.int.test.ts'))
const withText = (text: RegExp) =>
  files.filter((file) => text.test(readFileSync(`${folder}${file}`, 'utf8'))).toSorted()

test.each([
  ['an empty database', /createEmptyStore\(/, needEmptyDatabase],
  ['a new database', /createNewStore\(|herald-test-/, needNewDatabase],
  ['servers of its own', /startReplicaSet\(|startMongod/, needOwnServers],
])('a test file has %s only with a reason: all others share the database of the run', (_, text, reasons) => {
  expect(withText(text)).toEqual(Object.keys(reasons).toSorted())
})
