import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { createPendingLogs } from './pending-logs.ts'

/** After the search of the start. */
function createSearched(options: Parameters<typeof createPendingLogs>[0]) {
  const pending = createPendingLogs(options)
  expect(pending.isSearchDue()).toBe(true)
  pending.beginSearch()()
  expect(pending.isSearchDue()).toBe(false)
  return pending
}

test('a log that has grown is due at once, and after it was sealed not before the interval is over', async () => {
  const pending = createSearched({ intervalMs: 500 })
  pending.grow('a')
  expect(pending.due()).toEqual(['a'])
  pending.begin('a')
  const dueAt = performance.now() + 500
  pending.end('a', { dueAt, grownAt: undefined })
  pending.grow('a')
  expect(pending.due()).toEqual([])
  while (performance.now() < dueAt) await pause(10)
  expect(pending.due()).toEqual(['a'])
})

test('a log that grows while it is looked at is looked at again', () => {
  const pending = createSearched({ intervalMs: 0 })
  pending.grow('a')
  pending.begin('a')
  pending.grow('a')
  pending.end('a', { dueAt: performance.now(), grownAt: undefined })
  expect(pending.due()).toEqual(['a'])
  pending.begin('a')
  pending.end('a', { dueAt: performance.now(), grownAt: undefined })
  expect(pending.due()).toEqual([])
})

test('beyond the bound, the logs are searched again after the interval', async () => {
  const pending = createSearched({ intervalMs: 50, mostLogs: 2 })
  for (const name of ['a', 'b', 'c', 'd']) pending.grow(name)
  expect(pending.due()).toEqual(['a', 'b'])
  expect(pending.isSearchDue()).toBe(false)
  while (!pending.isSearchDue()) await pause(10)
})

test('a search that was asked for during another one is not forgotten', () => {
  const pending = createPendingLogs({ intervalMs: 0 })
  const end = pending.beginSearch()
  pending.requestSearch()
  end()
  expect(pending.isSearchDue()).toBe(true)
})

test('the lag is the time of the oldest leaf beyond the interval', async () => {
  const pending = createSearched({ intervalMs: 500 })
  const lag = () => pending.lagMs((name) => name !== 'stopped')
  pending.grow('stopped')
  await pause(600)
  expect(lag()).toBe(0)
  const before = performance.now()
  pending.grow('a')
  expect(lag()).toBe(0)
  while (lag() === 0) await pause(10)
  expect(lag()).toBeLessThanOrEqual(performance.now() - before - 500)
  pending.begin('a')
  pending.end('a', { dueAt: performance.now() + 500, grownAt: undefined })
  expect(lag()).toBe(0)
})
