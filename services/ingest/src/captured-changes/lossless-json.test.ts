import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { mayHaveRounded, parseLosslessly, toInteger } from './lossless-json.ts'

test('integers beyond a double become their digits, everything else stays', () => {
  const text =
    '{"a":9007199254740993,"b":[-9007199254740992,9007199254740991],"c":1e30,"d":0.1,"e":"9007199254740993","f":1.0}'
  expect(parseLosslessly(text)).toEqual({
    ...{
      a: '9007199254740993',
      b: ['-9007199254740992', 9007199254740991],
      c: 1e30,
      d: 0.1,
      e: '9007199254740993',
      f: 1,
    },
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
