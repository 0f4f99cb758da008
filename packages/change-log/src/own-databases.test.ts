import { fileURLToPath } from 'node:url'
import { testFilesWith } from '@herald/mongo/testing'
import { expect, test } from '@jest/globals'

/** The test files that see everything that is stored: each has the empty database of its process, `createEmptyLog`. */
const needEmptyDatabase = {
  'operators/log-status.int.test.ts': 'the newest logs of all subscribers are shown',
  'recorded-order/erased-entries.int.test.ts': 'a sequencer appends the entries of all subscribers',
  'recorded-order/restored-log.int.test.ts': 'all that is stored is put back from a copy',
  'recorded-order/sequencer.int.test.ts': 'a sequencer appends the entries of all subscribers',
  'sealed-log/sealed-log.int.test.ts': 'a sequencer appends the entries of all subscribers',
  'sealing/leaves.int.test.ts': 'all logs have one state of sealing',
  'sealing/sealer.int.test.ts': 'a sealer seals the logs of all subscribers',
}

const folder = fileURLToPath(new URL('.', import.meta.url))

test('a test file has an empty database only with a reason: all others share the database of the run', () => {
  expect(
    testFilesWith(folder, /createEmptyLog\(|createNewDatabase\(|herald-test-|startReplicaSet\(|startMongod/),
  ).toEqual(Object.keys(needEmptyDatabase).toSorted())
})
