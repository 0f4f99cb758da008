import { expect, test } from '@jest/globals'
import { StorageUnavailableError } from '../storage-errors.ts'
import { createReadBudget } from './read-budget.ts'

/** Starts a read that ends when `end` or `fail` is called. */
function startRead(budget: ReturnType<typeof createReadBudget>, bytes: number) {
  const gate = Promise.withResolvers<void>()
  const read = { isRunning: false, end: gate.resolve, fail: gate.reject, result: Promise.resolve() as Promise<void> }
  read.result = budget.within(bytes, () => {
    read.isRunning = true
    return gate.promise
  })
  read.result.catch(() => {})
  return read
}

const settle = () => new Promise(setImmediate)

test('runs reads concurrently while they fit, then in order', async () => {
  const budget = createReadBudget(10)
  const [first, second, large, small] = [4, 4, 8, 1].map((bytes) => startRead(budget, bytes))
  await settle()
  expect([first, second, large, small].map((read) => read?.isRunning)).toEqual([true, true, false, false])
  first?.end()
  await settle()
  expect(large?.isRunning).toBe(false)
  second?.fail(new Error('Away'))
  await settle()
  expect([large?.isRunning, small?.isRunning]).toEqual([true, true])
})

test('runs a read that exceeds the limit without others', async () => {
  const budget = createReadBudget(10)
  const large = startRead(budget, 100)
  const small = startRead(budget, 1)
  await settle()
  expect([large.isRunning, small.isRunning]).toEqual([true, false])
  large.end()
  await settle()
  expect(small.isRunning).toBe(true)
})

test('rejects a read that waits too long with StorageUnavailableError, and admits the next one', async () => {
  const budget = createReadBudget(10, 20)
  const first = startRead(budget, 8)
  const large = startRead(budget, 8)
  const small = startRead(budget, 2)
  await expect(large.result).rejects.toBeInstanceOf(StorageUnavailableError)
  await settle()
  expect([large.isRunning, small.isRunning]).toEqual([false, true])
  first.end()
})
