import { expect, test } from '@jest/globals'
import { createConcurrencyLimit } from './concurrency-limit.ts'

test('limits each user without affecting others', () => {
  const limit = createConcurrencyLimit({ perUser: 2, perProcess: 10 })
  const [first] = [limit.enter('a'), limit.enter('a')]
  expect(limit.enter('a')).toBeUndefined()
  expect(limit.enter('b')).toBeDefined()
  first?.()
  first?.()
  expect(limit.enter('a')).toBeDefined()
  expect(limit.enter('a')).toBeUndefined()
})

test('limits all users of the process together', () => {
  const limit = createConcurrencyLimit({ perUser: 2, perProcess: 2 })
  const leave = limit.enter('a')
  limit.enter('b')
  expect(limit.enter('c')).toBeUndefined()
  leave?.()
  expect(limit.enter('c')).toBeDefined()
})
