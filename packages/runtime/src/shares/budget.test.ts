import { afterEach, expect, jest, test } from '@jest/globals'
import { createBudget, type Refusal, takeOrThrow } from './budget.ts'

const ada = { subscriberId: 'a', userId: 'ada' }
const bob = { subscriberId: 'a', userId: 'bob' }
const eve = { subscriberId: 'e', userId: 'eve' }

test('a user gets a small part, a subscriber a larger one, and others the rest', () => {
  const budget = createBudget({ sum: 10, perSubscriber: 5, perUser: 3 })
  const release = takeOrThrow(budget, ada, 3)
  expect(budget.take(ada, 1)).toEqual({ ok: false, refused: 'share' })
  expect(budget.take(bob, 3)).toEqual({ ok: false, refused: 'share' })
  takeOrThrow(budget, bob, 2)
  takeOrThrow(budget, eve, 3)
  expect(budget.held()).toBe(8)
  release()
  release()
  expect(budget.held()).toBe(5)
  takeOrThrow(budget, ada, 3)
})

afterEach(() => {
  jest.restoreAllMocks()
})

test('a user is alone a second after the last part of another user', () => {
  let milliseconds = 0
  jest.spyOn(performance, 'now').mockImplementation(() => milliseconds)
  const budget = createBudget({ sum: 10, perSubscriber: 5, perUser: 3 })
  takeOrThrow(budget, ada, 1)
  expect([budget.isAlone(ada), budget.isAlone(eve)]).toEqual([true, false])
  takeOrThrow(budget, eve, 1)
  milliseconds = 600
  takeOrThrow(budget, ada, 1)
  takeOrThrow(budget, ada, 1)
  expect([budget.isAlone(ada), budget.isAlone(eve)]).toEqual([false, false])
  milliseconds = 1_001
  expect([budget.isAlone(ada), budget.isAlone(eve), budget.isAlone(bob)]).toEqual([true, false, false])
  milliseconds = 1_601
  expect(budget.isAlone(eve)).toBe(true)
})

test('a full process refuses whoever has a share left', () => {
  const refusals: Refusal[] = []
  const budget = createBudget({ sum: 4, perSubscriber: 4, perUser: 4, onRefused: (refused) => refusals.push(refused) })
  takeOrThrow(budget, ada, 4)
  expect(budget.take(eve, 1)).toEqual({ ok: false, refused: 'full' })
  expect(() => takeOrThrow(budget, bob, 1)).toThrow('share')
  expect(refusals).toEqual(['full', 'share'])
})

test('an amount above a share is allowed to an owner that holds nothing else', () => {
  const budget = createBudget({ sum: 10, perSubscriber: 5, perUser: 3 })
  const release = takeOrThrow(budget, ada, 9)
  expect(budget.take(ada, 1)).toEqual({ ok: false, refused: 'share' })
  expect(budget.take(eve, 2)).toEqual({ ok: false, refused: 'full' })
  release()
  expect(budget.take(eve, 2).ok).toBe(true)
})

test('two subscribers that take all they can leave a part for others', async () => {
  const budget = createBudget({ sum: 32, perSubscriber: 16, perUser: 16 })
  const takeAll = (subscriberId: string) => {
    let count = 0
    while (budget.take({ subscriberId, userId: 'u' }, 1).ok) count++
    return count
  }
  expect([takeAll('a'), takeAll('b')]).toEqual([16, 12])
  expect(budget.take(ada, 1)).toEqual({ ok: false, refused: 'share' })
  expect(budget.take({ subscriberId: 'b', userId: 'u' }, 1)).toEqual({ ok: false, refused: 'full' })
  expect(await budget.within(eve, 3, async () => takeAll('c'))).toBe(1)
  expect(takeAll('c')).toBe(3)
})

test.each([1, 2, 4, 8])('a sum of %i has a slot for the third subscriber if it can', (sum) => {
  const half = Math.max(1, sum / 2)
  const budget = createBudget({ sum, perSubscriber: half, perUser: half })
  for (const subscriberId of ['a', 'b']) while (budget.take({ subscriberId, userId: 'u' }, 1).ok);
  expect(budget.take(eve, 1).ok).toBe(sum > 2)
})

test('what waits is let in by who holds least, not by who came first', async () => {
  const budget = createBudget({ sum: 2, perSubscriber: 2, perUser: 2 })
  const done: string[] = []
  const ends: (() => void)[] = []
  const work = (name: string) => () =>
    new Promise<void>((resolve) => {
      done.push(name)
      ends.push(resolve)
    })
  const all = [1, 2, 3, 4].map((n) => budget.within(ada, 1, work(`ada ${n}`)))
  all.push(budget.within(bob, 1, work('bob')), budget.within(eve, 1, work('eve')))
  for (let n = 0; n < all.length; n++) {
    await new Promise(setImmediate)
    ends[n]?.()
  }
  await Promise.all(all)
  expect(done).toEqual(['ada 1', 'ada 2', 'eve', 'ada 3', 'bob', 'ada 4'])
  expect(budget.held()).toBe(0)
})

test('waiting has a limit, and a failure releases its part', async () => {
  const budget = createBudget({ sum: 1, perSubscriber: 1, perUser: 1 })
  const release = takeOrThrow(budget, ada, 1)
  await expect(budget.within(eve, 1, async () => 1, 10)).rejects.toMatchObject({ refused: 'full' })
  await expect(budget.within(ada, 1, async () => 1, 10)).rejects.toMatchObject({ refused: 'share' })
  release()
  await expect(budget.within(ada, 1, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await budget.within(eve, 1, async () => 2)).toBe(2)
})

test('a large amount is not overtaken for ever by small ones of the same user', async () => {
  const budget = createBudget({ sum: 20, perSubscriber: 10, perUser: 4 })
  const entered: number[] = []
  const ends: (() => void)[] = []
  const ask = (amount: number, owner = ada) =>
    budget.within(owner, amount, () => {
      entered.push(amount)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const turns = async () => {
    await new Promise(setImmediate)
    return entered
  }
  const all = [ask(1), ask(5), ask(2), ask(3, eve)]
  expect(await turns()).toEqual([1, 3])
  ends[0]?.()
  expect(await turns()).toEqual([1, 3, 5])
  ends[2]?.()
  expect(await turns()).toEqual([1, 3, 5, 2])
  for (const end of ends) end()
  await Promise.all(all)
})

test('what fits the reserve does not wait for a large amount of another new subscriber', async () => {
  const budget = createBudget({ sum: 16, perSubscriber: 8, perUser: 8 })
  const releases = [takeOrThrow(budget, ada, 8), takeOrThrow(budget, eve, 4)]
  const entered: string[] = []
  const ask = (userId: string, amount: number) =>
    budget.within({ subscriberId: userId, userId }, amount, async () => void entered.push(userId))
  const all = [ask('large', 6), ask('small', 1), ask('larger', 3)]
  await new Promise(setImmediate)
  expect(entered).toEqual(['small'])
  for (const release of releases) release()
  await Promise.all(all)
  expect(entered).toEqual(['small', 'large', 'larger'])
})
