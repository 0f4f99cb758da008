import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { envelopeOf, mongoEnvelopeOf, recordOf } from '../records.fixture.ts'
import { readDebeziumJson } from './read-debezium-json.ts'

const read = (value: unknown, key?: Parameters<typeof recordOf>[1]) => readDebeziumJson(recordOf(value, key))

/** The change of an envelope, as a CloudEvent shows it. */
function changeOf(value: unknown) {
  const found = read(value)
  if (found.kind !== 'change') throw new Error(found.kind)
  // The converter of CloudEvents writes the default of `snapshot`, whether or not it keeps NULL.
  return { ...found.change, replacesNulls: false }
}

function bytes(value: unknown) {
  return Buffer.from(JSON.stringify(value))
}

test.each([
  ['a tombstone', '', 'tombstone'],
  ['a truncate', envelopeOf({ op: 't', before: null, after: null }), 'truncate'],
  ['a message', { op: 'm', source: {}, message: { prefix: 'a', content: '' } }, 'message'],
  ['the begin of a transaction', { status: 'BEGIN', id: '815:1', event_count: null, ts_ms: 1 }, 'marker'],
  ['a heartbeat', { ts_ms: 1 }, 'marker'],
  ['a heartbeat with its schema', { schema: { type: 'struct' }, payload: { ts_ms: 1 } }, 'marker'],
  ['a schema change', { source: {}, ts_ms: 1, ddl: 'create table x (a int)', tableChanges: [] }, 'marker'],
])('%s is skipped', (_name, value, reason) => {
  expect(read(value)).toEqual({ kind: 'skip', reason })
})

test('a null value is a tombstone', () => {
  expect(readDebeziumJson({ key: null, value: null })).toEqual({ kind: 'skip', reason: 'tombstone' })
})

test('a CloudEvent has the same change as the envelope', () => {
  const { before, after, source, op } = envelopeOf({ transaction: { id: '815:27', total_order: 3 } })
  const event = {
    id: 'name:shop;lsn:1',
    source: '/debezium/postgresql/shop',
    specversion: '1.0',
    type: 'x',
    iodebeziumop: op,
    iodebeziumtxid: '815:27',
    iodebeziumtxtotalorder: '3',
    iodebeziumtxId: '815',
    ...Object.fromEntries(
      Object.entries(source).map(([name, value]) => [`iodebezium${name.replaceAll('_', '')}`, String(value)]),
    ),
    data: { before, after },
  }
  const plain = read(envelopeOf({ transaction: { id: '815:27', total_order: 3 } }))
  expect(plain).toMatchObject({ kind: 'change', change: { order: ['815:27', 3], position: 26_780_400 } })
  const expected = { kind: 'change', change: changeOf(envelopeOf({ transaction: { id: '815:27', total_order: 3 } })) }
  expect(read(event)).toEqual(expected)
  expect(read({ ...event, data: { schema: { type: 'struct' }, payload: { before, after } } })).toEqual(expected)
})

test('a CloudEvent of MongoDB has the same change as the envelope', () => {
  const { before, after, source } = mongoEnvelopeOf({ op: 'c', after: { _id: 1 } })
  const names: Record<string, string> = { ts_ms: 'tsms' }
  const attributes = Object.entries(source).filter(([, value]) => value !== undefined)
  const event = {
    specversion: '1.0',
    iodebeziumop: 'c',
    data: { before, after },
    ...Object.fromEntries(
      attributes.map(([name, value]) => [`iodebezium${names[name] ?? name}`, value === null ? null : String(value)]),
    ),
  }
  const change = changeOf(mongoEnvelopeOf({ op: 'c', after: { _id: 1 } }))
  expect(read(event)).toEqual({ kind: 'change', change })
})

test.each([
  ['an unwrapped row', { id: 1, name: 'Ada' }],
  ['another event', { specversion: '1.0', id: '1', source: 'x', type: 'y', data: {} }],
  ['a scalar', 5],
  ['another connector', envelopeOf({}, { connector: 'oracle' })],
  ['another operation', envelopeOf({ op: 'x' })],
  ['no table', envelopeOf({}, { table: undefined })],
  ['no position', envelopeOf({}, { lsn: null })],
  ['a broken position', envelopeOf({}, { lsn: '0x1' })],
  ['a time before 1970', envelopeOf({}, { ts_ms: -1 })],
  ['a state that is no row', envelopeOf({ after: 'x' })],
  ['a document that is none', mongoEnvelopeOf({ after: '[1]' })],
])('%s is unreadable', (_name, value) => {
  expect(read(value)).toMatchObject({ kind: 'dead-letter', code: 'row_unreadable' })
})

test.each([
  ['in a snapshot of MongoDB', mongoEnvelopeOf({ op: 'r', after: { _id: 1 } }, { ts_ms: 0, ord: -1 })],
  ['without one in the source', envelopeOf({}, { ts_ms: undefined })],
  ['with something else in the source', envelopeOf({}, { ts_ms: 'now' })],
])('%s the time is that of the envelope', (_name, value) => {
  expect(read(value)).toMatchObject({ kind: 'change', change: { time: 1_767_225_600_200 } })
})

test.each([
  ['no time', envelopeOf({ ts_ms: null }, { ts_ms: null })],
  ['the time 0', envelopeOf({ ts_ms: 0 }, { ts_ms: 0 })],
])('%s is refused, so that no entry is dated by a default', (_name, value) => {
  expect(read(value)).toMatchObject({ kind: 'dead-letter', code: 'time_missing' })
})

test('a row of a snapshot without a position has its time in its place', () => {
  const incremental = envelopeOf({ op: 'r', before: null }, { lsn: null, snapshot: 'incremental' })
  expect(read(incremental)).toMatchObject({ change: { position: ['snapshot', 1_767_225_600_123] } })
  expect(read(envelopeOf({ op: 'r', before: null }))).toMatchObject({ change: { position: 26_780_400 } })
})

test('a row of a snapshot is skipped before anything else of it is looked at', () => {
  const nonsense = { op: 'r', source: { connector: 'oracle' }, after: 5 }
  expect(readDebeziumJson(recordOf(nonsense), { skipsSnapshots: true })).toEqual({ kind: 'skip', reason: 'snapshot' })
})

const registry = Buffer.concat([Buffer.from([0, 0, 0, 0, 7]), Buffer.from('{}')])
const row = { id: 1, n: 'a' }
test.each<[string, Partial<ReturnType<typeof recordOf>>, RegExp]>([
  ['a row that was unwrapped', { value: bytes(row) }, /ExtractNewRecordState/],
  ['an event of an outbox', { value: bytes(row), headers: { id: 'e-1' } }, /EventRouter.*herald\.change\.recorded\.v1/],
  ['an event of an outbox that is a text', { value: bytes('{}'), headers: { id: 'e-1' } }, /EventRouter/],
  [
    'a CloudEvent without extension attributes',
    { value: bytes({ specversion: '1.0', source: '/debezium/postgresql/j', data: { before: null, after: row } }) },
    /value\.converter\.extension\.attributes\.enable=true/,
  ],
  [
    'a resolved timestamp',
    { value: bytes({ resolved: '1795932562446000000.0000000000' }) },
    /changefeed \(CockroachDB\)/,
  ],
  ['a row of a changefeed', { value: bytes({ after: row, updated: '1.0' }) }, /changefeed \(CockroachDB\)/],
  [
    'a value of a schema registry',
    { value: registry },
    /five bytes of a schema registry.*value\.converter=.*JsonConverter/,
  ],
  ['a key of a schema registry', { key: registry }, /five bytes of a schema registry.*key\.converter=.*JsonConverter/],
])('the detail says what to do about %s', (_name, changes, detail) => {
  const read = readDebeziumJson({ ...recordOf(envelopeOf({})), ...changes })
  expect(read).toMatchObject({ kind: 'dead-letter', detail: expect.stringMatching(detail) })
})

test.each([
  ['not_json', '{'],
  ['not_json', mongoEnvelopeOf({ op: 'c', after: '{' })],
  ['unsafe_json', '{"__proto__":1}'],
  ['unsafe_json', mongoEnvelopeOf({ op: 'c', after: '{"__proto__":1}' })],
  ['unsafe_json', '{"a":"\\ud800"}'],
  ['unsafe_json', '['.repeat(10_000) + ']'.repeat(10_000)],
  ['record_too_large', JSON.stringify('x'.repeat(1024 * 1024))],
])('is refused as %s', (code, value) => {
  expect(read(value)).toMatchObject({ kind: 'dead-letter', code })
})

test('bytes that are not UTF-8 are refused', () => {
  expect(readDebeziumJson({ key: null, value: Buffer.from([0x22, 0xff, 0x22]) })).toMatchObject({ code: 'not_json' })
})

test('a key that is not an object is refused', () => {
  expect(read(envelopeOf({}), 'text')).toMatchObject({ code: 'row_unreadable' })
})

test('never throws', () => {
  const envelopes = fc.record(
    {
      op: fc.constantFrom('c', 'u', 'd', 'r', 'x'),
      source: fc.anything(),
      before: fc.anything(),
      after: fc.anything(),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        envelopes.map((value) => JSON.stringify(value) ?? ''),
      ),
      fc.json(),
      (value, key) => {
        readDebeziumJson({ value: Buffer.from(value), key: Buffer.from(key) })
      },
    ),
  )
})

test('an integer beyond 2^53 is read among at most 50,000 values', () => {
  const rowWith = (count: number, first: string) =>
    JSON.stringify(envelopeOf({ op: 'c', before: null })).replace(
      '"name":"Ada"',
      `"name":[${first}${',1'.repeat(count)}]`,
    )
  expect(read(rowWith(49_900, '9007199254740993'))).toMatchObject({
    change: { after: { name: { 0: '9007199254740993' } } },
  })
  expect(read(rowWith(50_000, '1'))).toMatchObject({ kind: 'change' })
  expect(read(rowWith(50_000, '9007199254740993'))).toMatchObject({ code: 'record_too_large' })
})

const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]))

test.each([
  ['one row', (count: number) => envelopeOf({ op: 'c', before: null, after: members(count) })],
  ['two rows', (count: number) => envelopeOf({ before: members(count / 2), after: members(count / 2) })],
  ['a document', (count: number) => mongoEnvelopeOf({ op: 'c', after: members(count) })],
  [
    'a document and its update',
    (count: number) => {
      const updateDescription = { updatedFields: JSON.stringify(members(count / 2)) }
      return mongoEnvelopeOf({ after: members(count / 2), updateDescription })
    },
  ],
])('is read with at most 20,000 members: %s', (_name, recordWith) => {
  expect(read(recordWith(19_900))).toMatchObject({ kind: 'change' })
  expect(read(recordWith(20_000))).toMatchObject({ code: 'record_too_large' })
  expect(read(recordWith(19_000), members(1_000))).toMatchObject({ code: 'record_too_large' })
})

test('members within a text are not counted', () => {
  const text = JSON.stringify(members(50_000))
  expect(read(envelopeOf({ op: 'c', after: { id: 1, text } }))).toMatchObject({ change: { after: { text } } })
})
