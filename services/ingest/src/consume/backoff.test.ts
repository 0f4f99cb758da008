import { expect, test } from '@jest/globals'
import { createBackoff } from './backoff.ts'

const draw = (random: number, count = 9) => {
  const backoff = createBackoff({ firstMs: 100, maxMs: 5_000, random: () => random })
  return Array.from({ length: count }, () => backoff.next())
}

test('doubles the pause up to the maximum', () => {
  expect(draw(1)).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000])
})

test('draws each pause between half and all of its length', () => {
  expect(draw(0)).toEqual(draw(1).map((pause) => pause / 2))
  expect(draw(0.5, 1)).toEqual([75])
})

test('starts over after a reset', () => {
  const backoff = createBackoff({ random: () => 1 })
  const first = backoff.next()
  expect(backoff.next()).toBeGreaterThan(first)
  backoff.reset()
  expect(backoff.next()).toBe(first)
})

test('spreads retries of several waiters', () => {
  const [one, other] = [createBackoff(), createBackoff()]
  const pairs = Array.from({ length: 20 }, () => [one.next(), other.next()])
  expect(pairs.some(([a, b]) => a !== b)).toBe(true)
})
