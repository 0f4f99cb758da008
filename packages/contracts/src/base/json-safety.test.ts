import { expect, test } from '@jest/globals'
import { findUnsafeJson } from './json-safety.ts'

const issuesOf = (json: string, levels = 64) => findUnsafeJson(JSON.parse(json), levels)

test.each([
  ['null'],
  ['{"constructor":{"prototype":{}},"$set":1,"a.b":2,"$ref":3,"_bsontype":4,"":5,"ключ":"🔑"}'],
  ['[1.5e308,-0,"\\ud83d\\ude00"]'],
])('accepts %s', (json) => {
  expect(issuesOf(json)).toEqual([])
})

test.each([
  ['{"a":[{"__proto__":{"admin":true}}]}', '/a/0/__proto__'],
  ['{"a/b~c":"\\ud800"}', '/a~1b~0c'],
  ['{"n":[0,1e999]}', '/n/1'],
])('rejects %s at %s', (json, pointer) => {
  expect(issuesOf(json)).toMatchObject([{ pointer }])
})

test('rejects a key with a lone surrogate at its object', () => {
  expect(issuesOf('{"o":{"\\udc00":1}}')).toMatchObject([{ pointer: '/o' }])
})

test('reports all errors at once', () => {
  expect(issuesOf('{"__proto__":1,"b":"\\ud800","c":1e999}')).toHaveLength(3)
})

test('accepts exactly the allowed levels', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  expect(issuesOf(nested(64))).toEqual([])
  expect(issuesOf(nested(65))).toHaveLength(1)
  expect(issuesOf(nested(100_000))).toHaveLength(1)
})
