import { fileURLToPath } from 'node:url'
import { testFilesWith } from '@herald/mongo/testing'
import { expect, test } from '@jest/globals'

/** The test files that see everything that is stored: each has the empty database of its process, `createEmptyStore`. */
const needEmptyDatabase = {
  'erasures/erasure-crash.int.test.ts': 'open erasures of all subscribers are carried out',
  'erasures/erasures.int.test.ts': 'open erasures of all subscribers are carried out',
  'lookup/log-status.int.test.ts': 'the newest logs of all subscribers are shown',
  'migration/retention.int.test.ts': 'tombstones are counted with their heads',
  'recorded-order/erased-entries.int.test.ts': 'a sequencer appends the entries of all subscribers',
  'recorded-order/sequencer.int.test.ts': 'a sequencer appends the entries of all subscribers',
  'sealed-log/sealed-log.int.test.ts': 'a sequencer appends the entries of all subscribers',
  'sealing/leaves.int.test.ts': 'all logs have one state of sealing',
  'sealing/sealer.int.test.ts': 'a sealer seals the logs of all subscribers',
  'shard-script.int.test.ts': 'counts what all subscribers have',
}

/** The test files that begin without collections, `createNewStore`. */
const needNewDatabase = {
  'migration/find-missing.int.test.ts': 'plans and begins migrations',
  'migration/migrate.int.test.ts': 'migrates, in several ways',
}

const needOwnServers = { 'reading/user-reads.int.test.ts': 'stops the replication between two servers' }

const folder = fileURLToPath(new URL('.', import.meta.url))

test.each([
  ['an empty database', /createEmptyStore\(/, needEmptyDatabase],
  ['a new database', /createNewStore\(|herald-test-/, needNewDatabase],
  ['servers of its own', /startReplicaSet\(|startMongod/, needOwnServers],
])('a test file has %s only with a reason: all others share the database of the run', (_, text, reasons) => {
  expect(testFilesWith(folder, text)).toEqual(Object.keys(reasons).toSorted())
})
