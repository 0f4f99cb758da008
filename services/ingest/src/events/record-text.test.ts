import { expect, test } from '@jest/globals'
import { fromRecordText, toRecordText } from './record-text.ts'
import { recordOf } from './records.fixture.ts'

test('restores a record byte for byte', () => {
  const bytes = Buffer.from([0x00, 0xff, 0xd8, 0x22])
  const record = { ...recordOf(null), key: bytes, value: bytes }
  expect(fromRecordText(toRecordText(record))).toEqual(record)
  expect(fromRecordText(toRecordText({ ...record, key: null, value: null }))).toMatchObject({ key: null, value: null })
})

test('restores headers in order, groups repeated names and turns missing values into empty ones', () => {
  const headers = { b: Buffer.from([0xff]), a: 'text', many: [Buffer.from('1'), '2'], none: null }
  const { headers: back } = fromRecordText(toRecordText(recordOf('x', headers)))
  expect(Object.entries(back)).toEqual([
    ['b', [Buffer.from([0xff])]],
    ['a', [Buffer.from('text')]],
    ['many', [Buffer.from('1'), Buffer.from('2')]],
    ['none', ['']],
  ])
})

test.each(['constructor', '__proto__', 'toString'])('restores a header named %s', (name) => {
  const headers = Object.fromEntries([[name, Buffer.from('x')]])
  const { headers: back } = fromRecordText(toRecordText(recordOf('x', headers)))
  expect(Object.entries(back)).toEqual([[name, [Buffer.from('x')]]])
})

test('restores a record with hundreds of thousands of headers of one name', () => {
  const headers = { a: Array.from({ length: 400_000 }, () => Buffer.alloc(0)) }
  const { headers: back } = fromRecordText(toRecordText(recordOf('x', headers)))
  expect(back.a).toHaveLength(400_000)
})
