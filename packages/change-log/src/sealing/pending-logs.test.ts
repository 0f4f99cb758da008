import { createTestClock } from '@herald/mongo/testing'
import { expect, test } from '@jest/globals'
import { createPendingLogs } from './pending-logs.ts'

/** After the search of the start, by a clock that stands still until time passes. */
function createSearched(options: Parameters<typeof createPendingLogs>[0]) {
  const { clock, pass } = createTestClock()
  const pending = createPendingLogs({ ...options, clock })
  expect(pending.isSearchDue()).toBe(true)
  pending.beginSearch()()
  expect(pending.isSearchDue()).toBe(false)
  return { pending, clock, pass }
}

test('a log that has grown is due at once, and after it was sealed not before the interval is over', () => {
  const { pending, clock, pass } = createSearched({ intervalMs: 500 })
  pending.grow('a')
  expect(pending.due()).toEqual(['a'])
  pending.begin('a')
  pending.end('a', { dueAt: clock() + 500, grownAt: undefined })
  pending.grow('a')
  pass(499)
  expect([pending.due(), pending.isWaiting('a')]).toEqual([[], true])
  pass(1)
  expect([pending.due(), pending.isWaiting('a')]).toEqual([['a'], false])
})

test('a log that grows while it is looked at is looked at again', () => {
  const { pending, clock } = createSearched({ intervalMs: 0 })
  pending.grow('a')
  pending.begin('a')
  pending.grow('a')
  pending.end('a', { dueAt: clock(), grownAt: undefined })
  expect(pending.due()).toEqual(['a'])
  pending.begin('a')
  pending.end('a', { dueAt: clock(), grownAt: undefined })
  expect(pending.due()).toEqual([])
})

test('beyond the bound, the logs are searched again after the interval', () => {
  const { pending, pass } = createSearched({ intervalMs: 50, mostLogs: 2 })
  for (const name of ['a', 'b', 'c', 'd']) pending.grow(name)
  expect(pending.due()).toEqual(['a', 'b'])
  pass(49)
  expect(pending.isSearchDue()).toBe(false)
  pass(1)
  expect(pending.isSearchDue()).toBe(true)
})

test('a search that was asked for during another one is not forgotten', () => {
  const pending = createPendingLogs({ intervalMs: 0 })
  const end = pending.beginSearch()
  pending.requestSearch()
  end()
  expect(pending.isSearchDue()).toBe(true)
})

test('the lag is the time of the oldest leaf beyond the interval', () => {
  const { pending, clock, pass } = createSearched({ intervalMs: 500 })
  const lag = () => pending.lagMs((name) => name !== 'stopped')
  pending.grow('stopped')
  pass(600)
  expect(lag()).toBe(0)
  pending.grow('a')
  pass(500)
  expect(lag()).toBe(0)
  pass(70)
  expect(lag()).toBe(70)
  pending.begin('a')
  pending.end('a', { dueAt: clock() + 500, grownAt: undefined })
  expect(lag()).toBe(0)
})
