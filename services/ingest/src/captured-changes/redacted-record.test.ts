import { describe, expect, test } from '@jest/globals'
import type { IncomingRecord } from '../events/incoming-record.ts'
import { readDebeziumJson } from './read-debezium-json.ts'
import { decide, envelopeOf, mappingOf, mongoEnvelopeOf, recordOf, rowOf } from './records.fixture.ts'
import { createRecordRedaction } from './redacted-record.ts'

const redact = createRecordRedaction(mappingOf({ redact: ['email', 'code'] }), readDebeziumJson)
const parsedValue = ({ value }: IncomingRecord) => JSON.parse(String(value))
const secret = 'ada@example.org'

describe('a redacted record', () => {
  test.each<[string, unknown]>([
    ['an envelope', envelopeOf({ before: rowOf({ email: secret }), after: rowOf({ email: secret }) })],
    ['one with a schema', { schema: { type: 'struct' }, payload: envelopeOf({ after: rowOf({ email: secret }) }) }],
    ['a CloudEvent', { specversion: '1.0', iodebeziumop: 'c', data: { before: null, after: { email: secret } } }],
    ['one of MongoDB', mongoEnvelopeOf({ op: 'c', after: { _id: 1, email: secret } })],
    [
      'an update of MongoDB',
      mongoEnvelopeOf({ updateDescription: { updatedFields: JSON.stringify({ 'email.work': secret }) } }),
    ],
    ['broken JSON of MongoDB', mongoEnvelopeOf({ op: 'c', after: `{"email": "${secret}` })],
    ['an unwrapped row', { id: 1, email: secret }],
    ['an unwrapped row with a document', { id: 1, doc: JSON.stringify({ email: secret }) }],
    ['a statement', envelopeOf({}, { query: `update customer set email = '${secret}'` })],
    ['not JSON', `{"email": "${secret}"`],
  ])('contains nothing secret: %s', (_name, value) => {
    const { value: bytes, key } = redact(recordOf(value))
    expect(`${bytes}${key}`).not.toContain(secret)
    expect(`${bytes}`).toMatch(/\[redacted\]|^null$/)
  })

  test('keeps everything else as it was written', () => {
    const text = JSON.stringify(envelopeOf({ after: rowOf({ email: secret, n: 0 }) })).replace(
      '"n":0',
      '"n":9007199254740993',
    )
    const { value } = redact(recordOf(text.replace('"ts_ms":1767225600200', '"ts_ms":1.0E5')))
    expect(String(value)).toBe(
      text
        .replace('"ts_ms":1767225600200', '"ts_ms":1.0E5')
        .replace(`"${secret}"`, '"[redacted]"')
        .replace('"email":null', '"email":"[redacted]"'),
    )
  })

  test('keeps parts of the envelope that are named like a column', () => {
    const redactSource = createRecordRedaction(mappingOf({ redact: ['source', 'op'] }), readDebeziumJson)
    const envelope = envelopeOf({ op: 'c', before: null, after: rowOf({ op: secret }) })
    expect(parsedValue(redactSource(recordOf(envelope)))).toEqual({ ...envelope, after: rowOf({ op: '[redacted]' }) })
  })

  test('has no secret in its key and in the headers with keys', () => {
    const headers = { '__debezium.newkey': Buffer.from('{"code":"a"}'), other: Buffer.from('{"code":"a"}') }
    const record = redact(recordOf(envelopeOf({}), { id: 1, code: 'a' }, headers))
    expect(String(record.key)).toBe('{"id":1,"code":"[redacted]"}')
    expect(String(record.headers['__debezium.newkey'])).toBe('{"code":"[redacted]"}')
    expect(String(record.headers.other)).toBe('{"code":"a"}')
  })

  test('that cannot be redacted has no value, and says how large it was', () => {
    const { value, readFailure } = redact(recordOf('not json'))
    expect(value).toBeNull()
    expect(readFailure?.omitted).toEqual({ value: 8 })
  })
})

test('a replayed dead letter makes the same entries', () => {
  const envelope = envelopeOf({ before: rowOf({ email: 'a' }), after: rowOf({ email: 'b', name: 'Bo' }) })
  const mapping = { redact: ['email', 'code'] }
  const original = decide(recordOf(envelope), mapping)
  expect(original).toMatchObject({ entries: [{ changedField: 'name' }, { changedField: 'email' }] })
  const letter = redact(recordOf(envelope))
  expect(decide(letter, mapping)).toEqual(original)
  expect(decide(redact(letter), mapping)).toEqual(original)
})

test('a broken header of redacted changes is ignored', () => {
  for (const text of ['{', '5', '[5]', 'null']) {
    const record = recordOf(envelopeOf({}), { id: 1 }, { 'herald-redacted-changes': Buffer.from(text) })
    expect(decide(record, { redact: ['email'] })).toEqual({ kind: 'skipped', reason: 'unchanged' })
  }
})

test('without redacted fields a record stays untouched', () => {
  const record = recordOf('not json')
  expect(createRecordRedaction(mappingOf(), readDebeziumJson)(record)).toBe(record)
})
