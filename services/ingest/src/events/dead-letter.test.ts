import { expect, test } from '@jest/globals'
import { toOutgoingRecord, withoutValue } from './dead-letter.ts'
import { recordOf } from './records.fixture.ts'

const code = 'not_json'

test('key, value and headers stand as they came, and Herald’s own headers beside them', () => {
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

test('a record without key and value has none', () => {
  expect(toOutgoingRecord({ record: { ...recordOf(null), key: null }, code, detail: '' })).toMatchObject({
    key: null,
    value: null,
  })
})

test('a header without a value goes out empty, alone or among others: kafkajs can’t write one', () => {
  const headers = { a: null, b: undefined, c: [undefined, Buffer.from('1')] }
  expect(toOutgoingRecord({ record: recordOf('x', headers), code, detail: '' }).headers).toMatchObject({
    a: '',
    b: '',
    c: ['', Buffer.from('1')],
  })
})

test('a header named like what every object has is kept', () => {
  const headers = JSON.parse('{"__proto__":"a","constructor":"b","toString":"c"}')
  const outgoing = toOutgoingRecord({ record: recordOf('x', headers), code, detail: '' }).headers
  expect(Object.entries(outgoing).slice(0, 3)).toEqual(Object.entries(headers))
})

test('the headers of a dead letter that became one again tell of the last time', () => {
  const headers = { 'herald-error-code': 'future_time', 'herald-origin-offset': '1' }
  expect(toOutgoingRecord({ record: recordOf('x', headers), code, detail: '' }).headers).toMatchObject({
    'herald-error-code': 'not_json',
    'herald-origin-offset': '42',
  })
})

test('the trace of the event’s attributes goes along, the header of the record comes first', () => {
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
])('a detail is cut to 1 KiB, and to whole characters (%#)', (detail, bytes) => {
  const cut = String(toOutgoingRecord({ record: recordOf('x'), code, detail }).headers['herald-error-detail'])
  expect(Buffer.byteLength(cut)).toBe(bytes)
  expect(detail.startsWith(cut)).toBe(true)
})

test('without its value it says how large that was', () => {
  const outgoing = withoutValue(toOutgoingRecord({ record: recordOf('12345', { a: 'b' }), code, detail: '' }))
  expect(outgoing).toMatchObject({ key: Buffer.from('key'), value: null })
  expect(outgoing.headers).toMatchObject({ a: 'b', 'herald-value-omitted': '5', 'herald-error-code': 'not_json' })
})
