import type { JsonValue } from '@herald/contracts'
import { expect, test } from '@jest/globals'
import { createUnavailableCheck } from './unavailable-value.ts'

const defaultPlaceholder = '__debezium_unavailable_value'
const isUnavailable = createUnavailableCheck(defaultPlaceholder)
const codes = [...Buffer.from(defaultPlaceholder)]

test.each<[string, JsonValue]>([
  ['text', '__debezium_unavailable_value'],
  ['bytes', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='],
  ['hexadecimal bytes', Buffer.from(defaultPlaceholder).toString('hex')],
  ['text array', ['__debezium_unavailable_value']],
  ['integer array', codes],
  ['UUID array', ['b68a35a7-17ad-35b3-af2a-ae46edb4545a']],
  ['hstore', '{"__debezium_unavailable_value":"__debezium_unavailable_value"}'],
  ['hstore as an object', { __debezium_unavailable_value: '__debezium_unavailable_value' }],
])('recognizes the placeholder in a column of type %s', (_type, value) => {
  expect(isUnavailable(value)).toBe(true)
})

test.each<JsonValue>([null, '', [], {}, 95, 'value', [95, 95], [...codes, 1], ['a', defaultPlaceholder], { a: 1 }])(
  '%j is a value',
  (value) => {
    expect(isUnavailable(value)).toBe(false)
  },
)

test('another placeholder can be configured', () => {
  expect(createUnavailableCheck('gone')(['gone'])).toBe(true)
  expect(createUnavailableCheck('gone')(defaultPlaceholder)).toBe(false)
})
