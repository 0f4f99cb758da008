import type { StoredChangeEntry } from '@herald/store'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { changeEntryJson } from './change-entry-json.ts'
import { changeEntriesJson, changeEntriesLines } from './entries-json.ts'
import { anyEntry, documentOf } from './entry.fixture.ts'

test('writes the same bytes as changeEntryJson', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 4 }), (entries) => {
      const documents = entries.map(documentOf)
      expect(changeEntriesJson(documents).toString()).toBe(entries.map(changeEntryJson).join(','))
      expect(changeEntriesLines(documents).toString()).toBe(entries.map((one) => `${changeEntryJson(one)}\n`).join(''))
    }),
    { numRuns: 2_000 },
  )
})

test('writes a state of a megabyte', () => {
  const [one] = fc.sample(anyEntry, { numRuns: 1, seed: 1 }) as [StoredChangeEntry]
  const large = { ...one, afterState: JSON.stringify('ä'.repeat(500_000)) }
  expect(changeEntriesJson([one, large, one].map(documentOf)).toString()).toBe(
    [one, large, one].map(changeEntryJson).join(','),
  )
})
