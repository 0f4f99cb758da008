import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { toCanonicalJson } from './canonical-json.ts'

test('has the canonical form of RFC 8785, section 3.2', () => {
  const text = String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`
  expect(toCanonicalJson(JSON.parse(text))).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  )
})

test('sorts keys by UTF-16 code units', () => {
  const keys = ['€', '\r', '\ufb33', '1', '😀', '\u0080', 'ö', '10', '9']
  const value = Object.fromEntries(keys.map((key) => [key, 0]))
  expect(Object.entries(JSON.parse(toCanonicalJson(value))).length).toBe(keys.length)
  const order = [...toCanonicalJson(value).matchAll(/"((?:[^"\\]|\\.)*)":/g)].map(([, key]) => JSON.parse(`"${key}"`))
  expect(order).toEqual(['\r', '1', '10', '9', '\u0080', 'ö', '€', '😀', '\ufb33'])
})

// RFC 8785, appendix B.
test.each([
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
])('writes the double %s as %s', (bits, text) => {
  expect(toCanonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text)
})

test.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses %d', (number) => {
  expect(() => toCanonicalJson({ number })).toThrow('number')
})

test('takes numbers as doubles', () => {
  expect(toCanonicalJson(JSON.parse('[9007199254740993,-0,1.0,1E+2,0.10]'))).toBe('[9007199254740992,0,1,100,0.1]')
})

test('sorts an object with many keys', () => {
  const keys = Array.from({ length: 1000 }, (_, i) => `${i}`)
  const text = toCanonicalJson(Object.fromEntries(keys.map((key) => [key, key])))
  expect(text).toBe(`{${keys.toSorted().map((key) => `"${key}":"${key}"`)}}`)
})

test('is the same for equal values, and parses to an equal value', () => {
  const reversed = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(reversed)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .toReversed()
              .map(([key, item]) => [key, reversed(item)]),
          )
        : value
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const plain = JSON.parse(JSON.stringify(value))
      const text = toCanonicalJson(plain)
      expect(JSON.parse(text)).toEqual(plain)
      expect(toCanonicalJson(reversed(plain))).toBe(text)
    }),
  )
})
