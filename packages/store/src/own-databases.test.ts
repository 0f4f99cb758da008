import { fileURLToPath } from 'node:url'
import { testFilesWith } from '@herald/mongo/testing'
import { expect, test } from '@jest/globals'

/** The test files that see everything that is stored: each has the empty database of its process, `createEmptyStore`. */
const needEmptyDatabase = {
  'erasures/erasure-crash.int.test.ts': 'open erasures of all subscribers are carried out',
  'erasures/erasures.int.test.ts': 'open erasures of all subscribers are carried out',
  'collections/retention.int.test.ts': 'tombstones are counted with their heads',
  'shard-script.int.test.ts': 'counts what all subscribers have',
}

/** The test files that begin without collections, `createNewStore`. */
const needNewDatabase = {
  'collections/find-missing.int.test.ts': 'plans and begins migrations',
  'collections/migrate.int.test.ts': 'migrates, in several ways',
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
