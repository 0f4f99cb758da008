import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

/** The test files that see everything that is stored: each has the empty database of its process. */
const needEmptyDatabase = {
  'operator/status/log-status.int.test.ts': 'the logs of all subscribers are shown',
  'src/events/overdue-receipts.int.test.ts': 'the overdue receipts of all subscribers are claimed',
  'src/hung-storage.int.test.ts': 'a relay finishes the interrupted requests of all subscribers',
  'src/workers/announced-erasures.int.test.ts': 'relays announce what is due of all subscribers',
  'src/workers/announcements.int.test.ts': 'relays announce what is due of all subscribers, and count it',
}

/** The test files that begin without collections, or change them. */
const needNewDatabase = {
  'operator/dead-letters/heal.int.test.ts': 'validates what is stored',
  'operator/restored/restored.int.test.ts': 'a database that a copy is put into',
  'operator/status/status.int.test.ts': 'begins before the migration',
  'src/consume/before-migrate.int.test.ts': 'begins before the migration',
  'src/migrate.int.test.ts': 'migrates',
}

const needOwnServers = {
  'src/captured-changes/captured-changes.int.test.ts': 'inserts of the server are made to fail',
}

const folder = fileURLToPath(new URL('..', import.meta.url))
const files = ['src', 'operator'].flatMap((name) =>
  readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.int.test.ts'))
    .map((file) => join(name, file)),
)
const withText = (text: RegExp) =>
  files.filter((file) => text.test(readFileSync(join(folder, file), 'utf8'))).toSorted()

test.each([
  ['an empty database', /createEmptyIngest\(|databaseOfWorker\(/, needEmptyDatabase],
  ['a new database', /createNewIngest\(|`herald-test-/, needNewDatabase],
  ['servers of its own', /startReplicaSet\(|startMongod|startKafka/, needOwnServers],
])('a test file has %s only with a reason: all others share the database of the run', (_, text, reasons) => {
  expect(withText(text)).toEqual(Object.keys(reasons).toSorted())
})
