import { expect, test } from '@jest/globals'
import { createSeeds } from './seed-brokers.ts'

test('each client starts with the address after the last one tried', () => {
  const seedsOf = createSeeds(['a', 'b', 'c'])
  const [first, second] = [seedsOf(), seedsOf()]
  expect([first.next(), first.next(), second.next(), second.next()]).toEqual([['a'], ['b'], ['c'], ['a']])
})

test('clients start with an address that was kept', () => {
  const seedsOf = createSeeds(['a', 'b', 'c'])
  seedsOf().next()
  const second = seedsOf()
  second.next()
  second.keep()
  expect([seedsOf().next(), seedsOf().next()]).toEqual([['b'], ['c']])
})
