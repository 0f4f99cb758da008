import type { FeedOwner } from '@herald/feed'
import { createMetrics } from '@herald/runtime'
import type { Notifications } from '@herald/store'
import { afterEach, expect, jest, test } from '@jest/globals'
import { countBudget } from '../budgets.ts'
import { createCountUnread } from './count-unread.ts'

afterEach(() => void jest.useRealTimers())

test('a count waits as long as its caller can, for whom a refusal comes too late', async () => {
  jest.useFakeTimers()
  const { budgets } = createMetrics()
  const never = { of: () => ({ counts: () => new Promise(() => {}) }) } as unknown as Pick<Notifications, 'of'>
  const countUnread = createCountUnread(budgets.open(countBudget), never)
  const anna = { subscriberId: 'a', recipientId: 'anna' }
  const refused: string[] = []
  void countUnread(anna)
  countUnread(anna).catch(() => refused.push('usual'))
  countUnread(anna, 60_000).catch(() => refused.push('patient'))
  await jest.advanceTimersByTimeAsync(59_000)
  expect(refused).toEqual(['usual'])
  await jest.advanceTimersByTimeAsync(1_000)
  expect(refused).toEqual(['usual', 'patient'])
})

test('counts of one user wait for each other, and not for those of others', async () => {
  const started: string[] = []
  const ends: (() => void)[] = []
  const of = ({ recipientId }: FeedOwner) => ({
    counts: () =>
      new Promise<number>((resolve) => {
        started.push(recipientId)
        ends.push(() => resolve(started.length))
      }),
  })
  const notifications = { of } as unknown as Pick<Notifications, 'of'>
  const { budgets } = createMetrics()
  const countUnread = createCountUnread(budgets.open(countBudget), notifications)
  const users = ['anna', 'anna', 'anna', 'ben', 'anna']
  const counts = users.map((recipientId) => countUnread({ subscriberId: 'a', recipientId }))
  await new Promise(setImmediate)
  expect(started).toEqual(['anna', 'ben'])
  for (let n = 0; n < users.length; n++) {
    await new Promise(setImmediate)
    ends[n]?.()
  }
  await Promise.all(counts)
  expect(started).toEqual(['anna', 'ben', 'anna', 'anna', 'anna'])
})
