import { expect, test } from '@jest/globals'
import { createConcurrencyLimit } from './concurrency-limit.ts'

test('a user may open as many as are allowed, and others are not affected', () => {
  const limit = createConcurrencyLimit({ perUser: 2, perProcess: 10 })
  const [first] = [limit.enter('a'), limit.enter('a')]
  expect(limit.enter('a')).toBeUndefined()
  expect(limit.enter('b')).toBeDefined()
  first?.()
  first?.()
  expect(limit.enter('a')).toBeDefined()
  expect(limit.enter('a')).toBeUndefined()
})

test('all users together may open as many as the process allows', () => {
  const limit = createConcurrencyLimit({ perUser: 2, perProcess: 2 })
  const leave = limit.enter('a')
  limit.enter('b')
  expect(limit.enter('c')).toBeUndefined()
  leave?.()
  expect(limit.enter('c')).toBeDefined()
})
