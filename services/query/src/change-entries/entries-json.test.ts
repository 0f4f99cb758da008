import type { StoredChangeEntry } from '@herald/store'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { changeEntryJson } from './change-entry-json.ts'
import { changeEntriesJson, changeEntriesLines } from './entries-json.ts'
import { documentOf } from './entry-document.fixture.ts'

/** What comes through UTF-8: no surrogate stands alone. */
const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary-ascii' }))
const entry: fc.Arbitrary<StoredChangeEntry> = fc.record({
  id: fc.uuid(),
  subscriberId: fc.uuid(),
  user: fc.record({ id: fc.uuid(), name: text, email: text }),
  entityType: text,
  entityId: text,
  entityTitle: text,
  actionType: text,
  changedField: text,
  beforeState: fc.json(),
  afterState: fc.json(),
  createdAt: fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }),
})

test('entries from bytes are the entries as they are written one by one, byte for byte', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 4 }), (entries) => {
      const documents = entries.map(documentOf)
      expect(changeEntriesJson(documents).toString()).toBe(entries.map(changeEntryJson).join(','))
      expect(changeEntriesLines(documents).toString()).toBe(entries.map((one) => `${changeEntryJson(one)}\n`).join(''))
    }),
    { numRuns: 2_000 },
  )
})

test('a state of a megabyte finds room', () => {
  const [one] = fc.sample(entry, { numRuns: 1, seed: 1 }) as [StoredChangeEntry]
  const large = { ...one, afterState: JSON.stringify('ä'.repeat(500_000)) }
  expect(changeEntriesJson([one, large, one].map(documentOf)).toString()).toBe(
    [one, large, one].map(changeEntryJson).join(','),
  )
})
