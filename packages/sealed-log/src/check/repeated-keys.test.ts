import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { hasRepeatedKeys } from './repeated-keys.ts'

const isRepeated = (text: string) => hasRepeatedKeys(text, JSON.parse(text))

test.each([
  ['{"a":1,"a":1}', true],
  ['{"a":{"b":[{"c":1,"c" : 2}]}}', true],
  ['{"a":1,"\\u0061":2}', true],
  ['{"__proto__":1,"__proto__":2}', true],
  ['{"a":{"a":{"a":["a","a"]}}}', false],
  ['{"a":"x\\"","b":"\\\\",":c":"d:\\\\\\":"}', false],
  ['{"__proto__":1}', false],
  ['[]', false],
  ['"a"', false],
])('%s: %s', (text, expected) => {
  expect(isRepeated(text)).toBe(expected)
})

test('no value that was written by a program has a key twice', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\t'), (value, space) => {
      expect(isRepeated(JSON.stringify(value, undefined, space))).toBe(false)
    }),
  )
})

test.each([
  ['a long string', `{"a":"${'\\"\\n'.repeat(4_000_000)}"}`],
  ['backslashes', `{"a":"${'\\\\'.repeat(8_000_000)}"}`],
  ['deep nesting', `${'[{"a":'.repeat(500_000)}1${'}]'.repeat(500_000)}`],
])('reads %s', (_, text) => {
  expect(isRepeated(text)).toBe(false)
})
