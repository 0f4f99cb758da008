import { expect, test } from '@jest/globals'
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
