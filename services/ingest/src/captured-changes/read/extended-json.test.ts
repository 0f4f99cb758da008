import type { JsonValue } from '@herald/contracts'
import { expect, test } from '@jest/globals'
import { fromExtendedJson } from './extended-json.ts'

test.each<[JsonValue, JsonValue]>([
  [{ $oid: '64b000000000000000000001' }, '64b000000000000000000001'],
  [{ $numberLong: '9007199254740993' }, '9007199254740993'],
  [{ $numberLong: '5' }, 5],
  [{ $numberInt: '5' }, 5],
  [{ $numberDecimal: '1234.5600' }, '1234.5600'],
  [{ $numberDouble: '0.5' }, 0.5],
  [{ $numberDouble: 'Infinity' }, 'Infinity'],
  [{ $date: 1767323045678 }, '2026-01-02T03:04:05.678Z'],
  [{ $date: '2026-01-02T04:04:05.678+01:00' }, '2026-01-02T03:04:05.678Z'],
  [{ $date: { $numberLong: '-1' } }, '1969-12-31T23:59:59.999Z'],
  [{ $date: { $numberLong: '9223372036854775807' } }, '9223372036854775807'],
  [{ $binary: 'AAAAAAAAQACAAAAAAAAABQ==', $type: '04' }, '00000000-0000-4000-8000-000000000005'],
  [{ $binary: { base64: 'AAAAAAAAQACAAAAAAAAABQ==', subType: '4' } }, '00000000-0000-4000-8000-000000000005'],
  [{ $binary: 'AP8=', $type: '00' }, 'AP8='],
  [{ $uuid: '00000000-0000-4000-8000-000000000005' }, '00000000-0000-4000-8000-000000000005'],
])('%j becomes %j', (extended, plain) => {
  expect(fromExtendedJson([{ a: extended }])).toEqual([{ a: plain }])
})

test.each<JsonValue>([
  { $timestamp: { t: 1, i: 2 } },
  { $oid: 5 },
  { $oid: 'a', b: 1 },
  { $date: true },
  { $regularExpression: { pattern: 'a', options: 'i' } },
  { a: { b: [null, true, 'x', {}] } },
])('%j stays as it is', (value) => {
  expect(fromExtendedJson(value)).toEqual(value)
})
