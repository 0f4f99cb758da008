import { expect, test } from '@jest/globals'
import { backoffMs } from './pause.ts'

const draw = (random: number, count = 9) =>
  Array.from({ length: count }, (_, failures) =>
    backoffMs(failures, { minPauseMs: 100, maxPauseMs: 5_000, random: () => random }),
  )

test('doubles the pause up to the maximum', () => {
  expect(draw(1)).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000])
  expect(backoffMs(10_000, { minPauseMs: 100, maxPauseMs: 5_000, random: () => 1 })).toBe(5_000)
})

test('draws each pause between half and all of its length', () => {
  expect(draw(0)).toEqual(draw(1).map((pause) => pause / 2))
  expect(draw(0.5, 1)).toEqual([75])
})

test('spreads retries of several waiters', () => {
  const pauses = Array.from({ length: 20 }, () => backoffMs(3, { minPauseMs: 100, maxPauseMs: 5_000 }))
  expect(new Set(pauses).size).toBeGreaterThan(1)
})
