import { createMetrics, storageBudget } from '@herald/runtime'
import { expect, test } from '@jest/globals'
import { countInStorage, readBudget } from './budgets.ts'

const owner = { subscriberId: 'a', userId: 'anna' }
const mebibyte = 1024 * 1024

test('reads that wait for their bytes leave the user’s storage operations to others', async () => {
  const { budgets } = createMetrics()
  const storage = budgets.open(storageBudget)
  const reads = countInStorage(budgets.open(readBudget), storage)
  const ends: (() => void)[] = []
  const read = () => new Promise<void>((resolve) => ends.push(resolve))
  // Two of them are all that a user may read at a time.
  const large = Array.from({ length: 20 }, () => reads.within(owner, 8 * mebibyte, read))
  await new Promise(setImmediate)
  expect([ends.length, storage.held()]).toEqual([2, 2])
  expect(await storage.within(owner, 1, async () => 'marked')).toBe('marked')
  for (let n = 0; n < large.length; n++) {
    ends[n]?.()
    await new Promise(setImmediate)
  }
  await Promise.all(large)
  expect([ends.length, storage.held()]).toEqual([20, 0])
})

test('a user cannot occupy more connections with small reads than with other operations', async () => {
  const { budgets } = createMetrics()
  const reads = countInStorage(budgets.open(readBudget), budgets.open(storageBudget))
  let inProgress = 0
  let most = 0
  const read = async () => {
    most = Math.max(most, ++inProgress)
    await new Promise(setImmediate)
    inProgress--
  }
  await Promise.all(Array.from({ length: 100 }, () => reads.within(owner, 1, read)))
  expect(most).toBe(8)
})
