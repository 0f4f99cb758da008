import { readFileSync } from 'node:fs'
import { deriveEventId } from '@herald/contracts'
import { expect, test } from '@jest/globals'
import { decideSamples, goldenLines } from './golden.fixture.ts'
import { mappingOf } from './records.fixture.ts'
import { createRecordRedaction } from './redact/redacted-record.ts'

const expected = readFileSync(new URL('samples/expected.txt', import.meta.url), 'utf8')

test('records of real connectors make the entries in samples/expected.txt', () => {
  expect([...goldenLines(), ''].join('\n')).toBe(expected)
})

test('a change that is delivered again has the same ids', () => {
  for (const file of ['mariadb-json-restart', 'postgres-json-restart', 'mongodb-json-post-image']) {
    const [, part = ''] = expected.split(`# ${file}.ndjson\n`)
    const lines = part.split('\n# ', 1)[0]?.split('\n') ?? []
    const before = lines.filter((line) => line.startsWith('before SIGKILL | ')).map((line) => line.split(' | ').at(-1))
    const after = lines.filter((line) => line.startsWith('after SIGKILL')).map((line) => line.split(' | ').at(-1))
    expect(before.length).toBeGreaterThan(3)
    expect(after).toEqual(expect.arrayContaining(before))
    const entries = before.filter((id) => id?.match(/^[0-9a-f-]{36}$/))
    expect(new Set(entries).size).toBe(entries.length)
  }
})

test('an id is derived from the documented source and id', () => {
  const id = deriveEventId({
    subscriberId: '0b8f5b1e-6f0e-4b57-9a63-3f6a1a6f0001',
    source: '/debezium/postgresql/shop/shop/public/customer',
    id: '[26780912,"u",{"id":2},"email"]',
    time: 1795334932493,
  })
  expect(expected).toContain(`customer 2 (Bo Example): update email null → "bo@example.org" | ${id}`)
  const inTransaction = deriveEventId({
    subscriberId: '0b8f5b1e-6f0e-4b57-9a63-3f6a1a6f0001',
    source: '/debezium/mariadb/shoptx/shop/orders',
    id: '[["0-1-19",2],"c",""]',
    time: 1795334773000,
  })
  expect(expected).toContain(`{"id":4,"customer_id":3,"total":"5.00"} | ${inTransaction}`)
})

test('a dead letter has no secret', async () => {
  const records = decideSamples('postgres-traps.ndjson')
    .filter(({ decision, record }) => decision.kind === 'dead-letter' && String(record.value).includes('hush'))
    .map(({ record }) => record)
  expect(new Set(records.map(({ topic }) => topic)).size).toBe(5)
  const redact = createRecordRedaction(mappingOf({ redact: ['secret'] }))
  for (const record of records) expect(String((await redact(record)).value)).not.toContain('hush')
})
