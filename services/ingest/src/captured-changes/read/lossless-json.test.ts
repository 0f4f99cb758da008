import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { countMembers, mayHaveRounded, parseLosslessly, toInteger } from './lossless-json.ts'

test('integers beyond a double become their digits, everything else stays', () => {
  const text =
    '{"a":9007199254740993,"b":[-9007199254740992,9007199254740991],"c":1e30,"d":0.1,"e":"9007199254740993","f":1.0}'
  expect(parseLosslessly(text)).toEqual({
    a: '9007199254740993',
    b: ['-9007199254740992', 9007199254740991],
    c: 1e30,
    d: 0.1,
    e: '9007199254740993',
    f: 1,
  })
})

test('no integer is ever rounded', () => {
  fc.assert(
    fc.property(fc.bigInt(), (integer) => {
      const parsed = parseLosslessly(`[${integer}]`) as [number | string]
      expect(BigInt(parsed[0])).toBe(integer)
      expect(mayHaveRounded(JSON.parse(`[${integer}]`))).toBe(typeof parsed[0] === 'string')
    }),
  )
})

test.each([
  ['27060168', 27_060_168],
  ['9007199254740993', '9007199254740993'],
  [5, 5],
  [null, null],
  ['', null],
  ['1.5', null],
  ['0x10', null],
  [2 ** 53, null],
])('%j is read as the integer %j', (value, expected) => {
  expect(toInteger(value)).toBe(expected)
})

test('members, objects and arrays are counted without parsing', () => {
  const count = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 0
    const items = Object.values(value)
    return items.reduce((sum, item) => sum + count(item), 1 + (Array.isArray(value) ? 0 : items.length))
  }
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.nat(3), (value, spaces) => {
      expect(countMembers(JSON.stringify(value, null, spaces), 1_000)).toBe(count(value))
    }),
  )
  expect(countMembers('{"a\\"{:":"[\\\\","b":{}}', 10)).toBe(4)
  expect(countMembers('['.repeat(100), 10)).toBe(11)
})
