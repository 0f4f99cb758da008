import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { countJson, parseLosslessly, toInteger } from './lossless-json.ts'

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

test.each<[string, number | string]>([
  ['9999999999999999.9999', '9999999999999999.9999'],
  ['-0.1234567890123456789', '-0.1234567890123456789'],
  ['0.10000000000000000001', '0.10000000000000000001'],
  ['1e400', '1e400'],
  ['1E-400', '1E-400'],
  ['0.30000000000000004', 0.30000000000000004],
  ['1234.560000000000000000', 1234.56],
  ['1.0E+2', 100],
  ['1e-7', 1e-7],
  ['5e-324', 5e-324],
  ['-0.0', -0],
  ['1769848200000000', 1769848200000000],
])('%s keeps its value as %j', (source, expected) => {
  expect(parseLosslessly(`[${source}]`)).toEqual([expected])
  expect(countJson(`{"a":${source}}`, 9).roundedNumbers).toBe(typeof expected === 'string' ? 1 : 0)
})

test('every decimal is kept as written, or as a double of the same value', () => {
  const digits = fc.stringMatching(/^[1-9][0-9]{0,24}$/)
  fc.assert(
    fc.property(digits, digits, (whole, fraction) => {
      const [parsed] = parseLosslessly(`[${whole}.${fraction}]`) as [number | string]
      const [before = '', behind = ''] = String(parsed).split('.')
      if (String(parsed).includes('e')) throw new Error(String(parsed))
      expect(`${before}.${behind.replace(/0+$/, '')}`).toBe(`${whole}.${fraction.replace(/0+$/, '')}`)
    }),
  )
})

test('no integer is ever rounded', () => {
  fc.assert(
    fc.property(fc.bigInt(), (integer) => {
      const parsed = parseLosslessly(`[${integer}]`) as [number | string]
      expect(BigInt(parsed[0])).toBe(integer)
      expect(countJson(`[${integer}]`, 9).roundedNumbers).toBe(typeof parsed[0] === 'string' ? 1 : 0)
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
      expect(countJson(JSON.stringify(value, null, spaces), 1_000).members).toBe(count(value))
    }),
  )
  expect(countJson('{"a\\"{:":"[\\\\","b":{}}', 10).members).toBe(4)
  expect(countJson('['.repeat(100), 10).members).toBe(11)
})
