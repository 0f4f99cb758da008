import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { encodeRecord, type RecordInBatch } from './encode-record.ts'

type Encoder = (record: RecordInBatch) => { readonly buffer: Buffer }
const original: Encoder = createRequire(import.meta.url)('kafkajs/src/protocol/recordBatch/record/v0')

const bytes = fc.uint8Array({ maxLength: 300 }).map((values) => Buffer.from(values))
const text = fc.string({ unit: 'binary', maxLength: 200 })
const content = fc.oneof(bytes, text)
const records: fc.Arbitrary<RecordInBatch> = fc.record({
  offsetDelta: fc.nat(),
  timestampDelta: fc.integer({ min: -(2 ** 45), max: 2 ** 45 }),
  key: fc.option(content),
  value: fc.option(content),
  headers: fc.dictionary(text, fc.oneof(content, fc.array(content, { maxLength: 3 })), { maxKeys: 5 }),
})

test('encodes any record as kafkajs does', () => {
  fc.assert(
    fc.property(records, (record) => {
      expect(encodeRecord(record).buffer).toEqual(original(record).buffer)
    }),
  )
  expect(encodeRecord({}).buffer).toEqual(original({}).buffer)
})

test('encodes values and headers of many bytes', () => {
  const headers = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`h${index}`, Buffer.alloc(index % 200)]),
  )
  const record = { offsetDelta: 70_000, key: 'ü'.repeat(100), value: Buffer.alloc(3_000_000, 7), headers }
  expect(encodeRecord(record).buffer.equals(original(record).buffer)).toBe(true)
})
