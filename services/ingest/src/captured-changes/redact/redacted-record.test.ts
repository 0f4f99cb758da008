import type { IncomingRecord } from '@herald/kafka'
import { describe, expect, test } from '@jest/globals'
import { decide, envelopeOf, mappingOf, mongoEnvelopeOf, recordOf, rowOf } from '../records.fixture.ts'
import { createRecordRedaction } from './redacted-record.ts'

const redact = createRecordRedaction(mappingOf({ redact: ['email', 'code', 'origin', 'r\u00e9sum\u00e9'] }))
const parsedValue = ({ value }: IncomingRecord) => JSON.parse(String(value))
const secret = 'ada@example.org'
const cloudEvent = { specversion: '1.0', iodebeziumconnector: 'mysql', iodebeziumop: 'c' }
const schemaOf = (more: object) => ({
  type: 'struct',
  fields: [{ type: 'struct', field: 'after', fields: [{ type: 'string', optional: true, field: 'email', ...more }] }],
})
const members = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`

describe('a redacted record', () => {
  test.each<[string, unknown]>([
    ['an envelope', envelopeOf({ before: rowOf({ email: secret }), after: rowOf({ email: secret }) })],
    ['one with a schema', { schema: { type: 'struct' }, payload: envelopeOf({ after: rowOf({ email: secret }) }) }],
    ['a CloudEvent', { ...cloudEvent, data: { before: null, after: { email: secret } } }],
    ['one of MongoDB', mongoEnvelopeOf({ op: 'c', after: { _id: 1, email: secret } })],
    [
      'an update of MongoDB',
      mongoEnvelopeOf({ updateDescription: { updatedFields: JSON.stringify({ 'email.work': secret }) } }),
    ],
    ['broken JSON of MongoDB', mongoEnvelopeOf({ op: 'c', after: `{"email": "${secret}` })],
    [
      'a name with an escape',
      mongoEnvelopeOf({ op: 'c', after: `{"_id":1,"\\u0065mail":"${secret}","ok":"[redacted]"}` }),
    ],
    [
      'a changed name with an escape',
      mongoEnvelopeOf({ updateDescription: { updatedFields: `{"\\u0065mail.work":"${secret}","ok":"[redacted]"}` } }),
    ],
    ['a name in another Unicode form', envelopeOf({ after: rowOf({ re\u0301sume\u0301: secret }) })],
    ['broken JSON with an escape', mongoEnvelopeOf({ op: 'c', after: `{"\\u0065mail": "${secret}` })],
    ['an unwrapped row', { id: 1, email: secret }],
    ['an unwrapped row with columns of an envelope', { id: 1, before: 'draft', after: 'sold', op: 5, email: secret }],
    ['an unwrapped row with an operation and a source', { op: 'c', source: { name: 'shop' }, email: secret }],
    ['an unwrapped row with a schema', { schema: 'public', payload: 'x', email: secret }],
    ['an unwrapped row that has a version', { specversion: '1.0', email: secret }],
    ['a CloudEvent with an unwrapped row', { ...cloudEvent, data: { id: 1, before: 'draft', email: secret } }],
    [
      'a CloudEvent with a statement',
      { ...cloudEvent, iodebeziumquery: `set email = '${secret}'`, data: { before: null, after: { id: 1 } } },
    ],
    ['an unwrapped row with a document', { id: 1, doc: JSON.stringify({ email: secret }) }],
    ['an envelope of another connector', { op: 'c', source: { connector: 'shopify' }, email: secret }],
    [
      'a field of another connector named like one of Debezium',
      { op: 'c', source: { connector: 'x', origin: secret } },
    ],
    ['an operation that is none', { op: 'x', source: { connector: 'postgresql' }, email: secret }],
    ['a sibling of the states', { ...envelopeOf({ op: 'c', before: null, after: rowOf() }), email: secret }],
    ['a field of the source', envelopeOf({}, { email: secret })],
    ['a field in a text of the source', envelopeOf({}, { sequence: JSON.stringify({ email: secret }) })],
    ['a field of the transaction', envelopeOf({ transaction: { id: '1', total_order: 1, email: secret } })],
    [
      'a default in a schema',
      { schema: schemaOf({ default: secret }), payload: envelopeOf({ before: null, after: null }) },
    ],
    ['allowed values in a schema', { schema: schemaOf({ parameters: { allowed: secret } }), payload: envelopeOf({}) }],
    [
      'a default of a whole row in a schema',
      {
        schema: { type: 'struct', fields: [{ type: 'struct', field: 'after', default: { email: secret } }] },
        payload: 1,
      },
    ],
    ['columns named like a schema and its payload', { schema: { type: 'a', email: secret }, payload: 1 }],
    [
      'a CloudEvent of another connector',
      { ...cloudEvent, iodebeziumconnector: 'shopify', data: { x: { email: secret } } },
    ],
    ['an attribute of a CloudEvent', { ...cloudEvent, email: secret, data: { before: null, after: { id: 1 } } }],
    ['a statement', envelopeOf({}, { query: `update customer set email = '${secret}'` })],
    ['not JSON', `{"email": "${secret}"`],
  ])('contains nothing secret: %s', async (_name, value) => {
    const { value: bytes, key } = await redact(recordOf(value))
    expect(`${bytes}${key}`).not.toContain(secret)
    expect(`${bytes}`).toMatch(/\[redacted\]|^null$/)
  })

  test('keeps everything else as it was written', async () => {
    const text = JSON.stringify(envelopeOf({ after: rowOf({ email: secret, n: 0 }) })).replace(
      '"n":0',
      '"n":9007199254740993',
    )
    const { value } = await redact(recordOf(text.replace('"ts_ms":1767225600200', '"ts_ms":1.0E5')))
    expect(String(value)).toBe(
      text
        .replace('"ts_ms":1767225600200', '"ts_ms":1.0E5')
        .replace(`"${secret}"`, '"[redacted]"')
        .replace('"email":null', '"email":"[redacted]"'),
    )
  })

  test('keeps parts of the envelope that are named like a column', async () => {
    const redactSource = createRecordRedaction(mappingOf({ redact: ['source', 'op'] }))
    const envelope = envelopeOf({ op: 'c', before: null, after: rowOf({ op: secret }) })
    expect(parsedValue(await redactSource(recordOf(envelope)))).toEqual({
      ...envelope,
      after: rowOf({ op: '[redacted]' }),
    })
  })

  test('keeps the states of a CloudEvent, whose names may be those of columns', async () => {
    const redactAfter = createRecordRedaction(mappingOf({ redact: ['after', 'iodebeziumop'] }))
    const event = { ...cloudEvent, data: { before: null, after: { id: 1, after: secret } } }
    const expected = { ...event, data: { before: null, after: { id: 1, after: '[redacted]' } } }
    expect(parsedValue(await redactAfter(recordOf(event)))).toEqual(expected)
  })

  test('has no secret in its key and in its headers', async () => {
    const headers = { '__debezium.newkey': Buffer.from('{"code":"a"}'), other: Buffer.from('{"code":"a"}') }
    const record = await redact(recordOf(envelopeOf({}), { id: 1, code: 'a' }, headers))
    expect(String(record.key)).toBe('{"id":1,"code":"[redacted]"}')
    expect(String(record.headers['__debezium.newkey'])).toBe('{"code":"[redacted]"}')
    expect(String(record.headers.other)).toBe('{"code":"[redacted]"}')
  })

  test('has no secret in headers that a transformation wrote, and other headers as they were', async () => {
    const bytes = Buffer.from([0xff, 0x00])
    const headers = {
      email: Buffer.from(secret),
      rows: [Buffer.from(`[{"email":"${secret}"}]`), bytes],
      traceparent: 'a',
    }
    const record = await redact(recordOf(envelopeOf({}), { id: 1 }, headers))
    expect(record.headers).toEqual({
      email: Buffer.from('[redacted]'),
      rows: [Buffer.from('[{"email":"[redacted]"}]'), bytes],
      traceparent: 'a',
    })
  })

  test('has no default of a redacted field in the schema of its key', async () => {
    const schema = { type: 'struct', fields: [{ type: 'string', field: 'code', default: secret }] }
    const { key } = await redact(recordOf(envelopeOf({}), { schema, payload: { code: 'a', id: 1 } }))
    expect(JSON.parse(String(key))).toEqual({
      schema: { type: 'struct', fields: [{ type: 'string', field: 'code', default: '[redacted]' }] },
      payload: { code: '[redacted]', id: 1 },
    })
  })

  // Sorting their combining marks takes minutes: longer than a test may take.
  const marks = '\u0301'.repeat(60_000) + '\u0316'.repeat(60_000)
  test.each([
    ['a name', { [`a${marks}`]: 1 }, { [`a${marks}`]: 1 }],
    ['a name with a dot', { [`a${marks}.b`]: 1 }, { [`a${marks}.b`]: 1 }],
    ['a text', { doc: `{"a${marks}` }, { doc: '[redacted]' }],
  ])('does not sort them, whatever marks are in %s', async (_name, changes, expected) => {
    const { value } = await redact(recordOf(envelopeOf({ before: null, after: changes })))
    expect(parsedValue({ value } as IncomingRecord).after).toEqual(expected)
  })

  test('keeps texts that only look like JSON', async () => {
    const envelope = envelopeOf({ before: null, after: rowOf({ name: '[draft] a {text}' }) })
    expect(parsedValue(await redact(recordOf(envelope))).after.name).toBe('[draft] a {text}')
  })

  test.each([
    ['of 50,000 values in an unusual form', `[1.0${',1.0'.repeat(49_990)}]`, true],
    ['of more', `[1.0${',1'.repeat(50_000)}]`, false],
    ['of more, in the usual form', `[1${',1'.repeat(50_000)}]`, true],
    ['of more, as texts of MongoDB', JSON.stringify(Array(20).fill(`[1.0${',1'.repeat(5_000)}]`)), false],
    ['of 19,900 members', members(19_900), true],
    ['of more members', members(20_000), false],
    ['of more members, as texts of MongoDB', JSON.stringify(Array(10).fill(members(2_000))), false],
    ['of 6,000 texts that look like JSON', JSON.stringify(Array(6_000).fill('{')), false],
    ['of 3 MiB', `["${'x'.repeat(3 * 1024 * 1024)}"]`, false],
  ])('keeps a value %s only if its redaction is quick', async (_name, list, isKept) => {
    const text = `{"op":"c","after":{"email":"${secret}","list":${list}}}`
    const { value, readFailure } = await redact(recordOf(text))
    const kept = text.replace(secret, '[redacted]')
    expect([String(value), readFailure?.omitted]).toEqual(isKept ? [kept, undefined] : ['null', { value: text.length }])
  })

  test('that cannot be redacted has no value, and says how large it was', async () => {
    const { value, readFailure } = await redact(recordOf('not json'))
    expect(value).toBeNull()
    expect(readFailure?.omitted).toEqual({ value: 8 })
  })
})

test('a replayed dead letter makes the same entries', async () => {
  const envelope = envelopeOf({ before: rowOf({ email: 'a' }), after: rowOf({ email: 'b', name: 'Bo' }) })
  const mapping = { redact: ['email', 'code'] }
  const original = decide(recordOf(envelope), mapping)
  expect(original).toMatchObject({ documents: [{ changedField: 'name' }, { changedField: 'email' }] })
  const letter = await redact(recordOf(envelope))
  expect(decide(letter, mapping)).toEqual(original)
  expect(decide(await redact(letter), mapping)).toEqual(original)
})

test('names of redacted fields are equal in any Unicode form', async () => {
  const [composed, decomposed] = ['r\u00e9sum\u00e9', 're\u0301sume\u0301']
  const record = recordOf(envelopeOf({ before: rowOf({ [decomposed]: 'a' }), after: rowOf({ [decomposed]: 'b' }) }))
  const mapping = { redact: [composed] }
  const documents = [{ changedField: decomposed, beforeState: '"[redacted]"', afterState: '"[redacted]"' }]
  expect(decide(record, mapping)).toMatchObject({ documents })
  const redactForm = createRecordRedaction(mappingOf(mapping))
  expect(decide(await redactForm(record), mapping)).toMatchObject({ documents })
})

test('a broken header of redacted changes is ignored', () => {
  for (const text of ['{', '5', '[5]', 'null']) {
    const record = recordOf(envelopeOf({}), { id: 1 }, { 'herald-redacted-changes': Buffer.from(text) })
    expect(decide(record, { redact: ['email'] })).toEqual({ kind: 'skipped', reason: 'unchanged' })
  }
})

test('without redacted fields a record stays untouched', async () => {
  const record = recordOf('not json')
  expect(await createRecordRedaction(mappingOf())(record)).toBe(record)
})
