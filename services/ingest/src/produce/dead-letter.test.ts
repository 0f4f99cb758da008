import { batchBytesOf, type ReadFailure } from '@herald/kafka'
import { expect, test } from '@jest/globals'
import { recordOf } from '../events/records.fixture.ts'
import { type DeadLetter, toOutgoingRecord, toSmallerRecord } from './dead-letter.ts'

const code = 'not_json'

test('keeps key, value and headers and adds Herald’s own headers', () => {
  const value = Buffer.from([0xff, 0x00, 0x0a])
  const headers = { trace: Buffer.from([0xfe]), text: 'x', many: [Buffer.from('1'), '2'] }
  const record = { ...recordOf(null, headers), value }
  expect(toOutgoingRecord({ record, code, detail: 'The value is not JSON' })).toEqual({
    key: Buffer.from('key'),
    value,
    headers: {
      ...headers,
      'herald-error-code': 'not_json',
      'herald-error-detail': 'The value is not JSON',
      'herald-origin-topic': 'mention-events',
      'herald-origin-partition': '1',
      'herald-origin-offset': '42',
      'herald-origin-timestamp': '1767225600123',
    },
  })
})

test('keeps a null key and value', () => {
  expect(toOutgoingRecord({ record: { ...recordOf(null), key: null }, code, detail: '' })).toMatchObject({
    key: null,
    value: null,
  })
})

test('writes a header without a value as an empty one, since kafkajs cannot write null', () => {
  const headers = { a: null, b: undefined, c: [undefined, Buffer.from('1')] }
  expect(toOutgoingRecord({ record: recordOf('x', headers), code, detail: '' }).headers).toMatchObject({
    a: '',
    b: '',
    c: ['', Buffer.from('1')],
  })
})

test('keeps headers named like properties of Object.prototype', () => {
  const headers = JSON.parse('{"__proto__":"a","constructor":"b","toString":"c"}')
  const outgoing = toOutgoingRecord({ record: recordOf('x', headers), code, detail: '' }).headers
  expect(Object.entries(outgoing).slice(0, 3)).toEqual(Object.entries(headers))
})

test('renames headers of the record that are named like Herald’s, as when a dead letter fails again', () => {
  const headers = { 'herald-error-code': 'future_time', 'herald-origin-offset': '1' }
  expect(toOutgoingRecord({ record: recordOf('x', headers), code, detail: '' }).headers).toMatchObject({
    'original-herald-error-code': 'future_time',
    'original-herald-origin-offset': '1',
    'herald-error-code': 'not_json',
    'herald-origin-offset': '42',
  })
})

test('adds the traceparent of the event’s attributes unless the record has the header', () => {
  const letter = { record: recordOf('x'), code, detail: '', traceparent: 'of the attributes' } as const
  expect(toOutgoingRecord(letter).headers.traceparent).toBe('of the attributes')
  const own = { ...letter, record: recordOf('x', { traceparent: Buffer.from('of the record') }) }
  expect(toOutgoingRecord(own).headers.traceparent).toEqual(Buffer.from('of the record'))
  expect(toOutgoingRecord({ ...letter, traceparent: undefined }).headers).not.toHaveProperty('traceparent')
})

test.each([
  ['x'.repeat(1_024), 1_024],
  ['x'.repeat(1_025), 1_024],
  ['é'.repeat(512), 1_024],
  [`x${'é'.repeat(512)}`, 1_023],
  [`x${'€'.repeat(400)}`, 1_024],
  [`xx${'€'.repeat(400)}`, 1_022],
  [`x${'🔑'.repeat(300)}`, 1_021],
])('truncates the detail to 1 KiB at a character boundary (%#)', (detail, bytes) => {
  const cut = String(toOutgoingRecord({ record: recordOf('x'), code, detail }).headers['herald-error-detail'])
  expect(Buffer.byteLength(cut)).toBe(bytes)
  expect(detail.startsWith(cut)).toBe(true)
})

const large = (parts: { key?: number; value?: number; header?: number }): DeadLetter => ({
  record: {
    ...recordOf('x'.repeat(parts.value ?? 5), { h: Buffer.alloc(parts.header ?? 5), constructor: 'x' }),
    key: Buffer.alloc(parts.key ?? 5),
  },
  code,
  detail: '',
  traceparent: 'x'.repeat(5_000),
})

test.each<[{ key?: number; value?: number; header?: number }, string[]]>([
  [{}, []],
  [{ value: 20_000 }, ['value']],
  [{ header: 20_000 }, ['value', 'headers']],
  [{ key: 20_000 }, ['value', 'headers', 'key']],
  [{ key: 20_000, header: 20_000, value: 200_000_000 }, ['value', 'headers', 'key']],
])('omits parts of a record of %j until the topic accepts it: %j', (parts, omitted) => {
  const letter = large(parts)
  const outgoing = toOutgoingRecord(letter, 10_000)
  expect(batchBytesOf(outgoing)).toBeLessThanOrEqual(10_000)
  const noted = Object.keys(outgoing.headers).flatMap((name) => /^herald-(.*)-omitted$/.exec(name)?.[1] ?? [])
  expect(noted).toEqual(omitted)
  expect(outgoing.value).toEqual(omitted.includes('value') ? null : letter.record.value)
  expect(outgoing.key).toEqual(omitted.includes('key') ? null : letter.record.key)
  expect(outgoing.headers.h).toEqual(omitted.includes('headers') ? undefined : letter.record.headers.h)
  expect(outgoing.headers['herald-error-code']).toBe('not_json')
})

test('reports the size of omitted parts', () => {
  const { headers } = toOutgoingRecord(large({ key: 20_000, header: 300, value: 7 }), 1_000)
  expect(headers).toMatchObject({
    'herald-value-omitted': '7',
    'herald-headers-omitted': '313',
    'herald-key-omitted': '20000',
  })
})

test('omits one more part each time the topic rejects the record, until none is left', () => {
  const letter = large({})
  let outgoing = toSmallerRecord(letter, toOutgoingRecord(letter))
  expect([outgoing?.value, outgoing?.key]).toEqual([null, letter.record.key])
  outgoing = outgoing && toSmallerRecord(letter, outgoing)
  expect([outgoing?.headers.h, outgoing?.key]).toEqual([undefined, letter.record.key])
  outgoing = outgoing && toSmallerRecord(letter, outgoing)
  expect(outgoing?.key).toBeNull()
  expect(outgoing && toSmallerRecord(letter, outgoing)).toBeUndefined()
})

test('reports the missing parts and the offset range of an unreadable record', () => {
  const readFailure: ReadFailure = {
    code: 'record_unreadable',
    detail: 'x',
    lastOffset: '50',
    omitted: { value: 'unknown', headers: 7 },
  }
  const record = { ...recordOf(null), key: null, readFailure }
  expect(toOutgoingRecord({ record, code: 'record_unreadable', detail: 'x' }).headers).toMatchObject({
    'herald-origin-offset': '42',
    'herald-origin-last-offset': '50',
    'herald-value-omitted': 'unknown',
    'herald-headers-omitted': '7',
  })
})
